"""Which machines the demo has: 36 in Kubernetes, four more that only Slurm knows."""

from gateway.simulator.scenario.hardware import A100, H100, H200, T4, Machine, Mig

_BALANCED = Mig(config="all-balanced", slices={"1g.10gb": 16, "2g.20gb": 8, "3g.40gb": 8})

MACHINES = (
    *(Machine(name=f"gpu-h100-{number:02}", model=H100, cards=8) for number in (1, 2, 3, 4)),
    Machine(name="gpu-h100-05", model=H100, cards=8, lost=1),
    *(Machine(name=f"gpu-h100-{number:02}", model=H100, cards=8) for number in (6, 7, 8)),
    *(Machine(name=f"gpu-h100-{number:02}", model=H100, cards=8, batch=True) for number in (9, 10, 11)),
    Machine(name="gpu-h100-12", model=H100, cards=8, cordoned_by="kubectl-cordon"),
    *(Machine(name=f"gpu-h200-{number:02}", model=H200, cards=8) for number in (1, 2, 3)),
    # Ready, and its device plugin crashes: 0 GPUs where the labels say 8.
    Machine(name="gpu-h200-04", model=H200, cards=8, plugin_dead=True),
    *(Machine(name=f"gpu-a100-{number:02}", model=A100, cards=8, mig=_BALANCED) for number in (1, 2)),
    Machine(name="gpu-a100-03", model=A100, cards=8, mig=Mig(config="all-1g.10gb", slices={"1g.10gb": 56})),
    Machine(
        name="gpu-a100-04",
        model=A100,
        cards=8,
        mig=Mig(config="all-2g.20gb", slices={"2g.20gb": 24}, state="pending"),
        cordoned_by="gpu-gateway",
    ),
    Machine(
        name="gpu-a100-05",
        model=A100,
        cards=8,
        mig=Mig(config="half-3g.40gb", whole=4, slices={"3g.40gb": 8}),
    ),
    # Cut into halves, says the MIG manager; somebody has switched MIG off by hand since.
    Machine(name="gpu-a100-06", model=A100, cards=8, mig=Mig(config="all-3g.40gb", whole=8)),
    Machine(
        name="gpu-a100-07",
        model=A100,
        cards=8,
        mig=Mig(config="all-1g.10gb", strategy="single", slices={"1g.10gb": 56}),
    ),
    # Two cards cut in two each: nvidia.com/gpu says 4.
    Machine(
        name="gpu-a100-08",
        model=A100,
        cards=2,
        mig=Mig(config="all-3g.40gb", strategy="single", slices={"3g.40gb": 4}),
    ),
    *(Machine(name=f"gpu-t4-{number:02}", model=T4, cards=4, replicas=4) for number in (1, 2)),
    # Two cards shared by two each: nvidia.com/gpu says 4.
    Machine(name="gpu-t4-03", model=T4, cards=2, replicas=2),
    Machine(name="gpu-t4-04", model=T4, cards=4),
    Machine(name="gpu-t4-05", model=T4, cards=4, replicas=4, renamed=True, notebooks=True),
    Machine(name="gpu-t4-06", model=T4, cards=4, ready=False),
    Machine(
        name="gpu-t4-07",
        model=T4,
        cards=4,
        cordoned_by="maintenance-operator",
        overwritten={"nvidia.com/gpu.memory": "15GiB"},
    ),
    *(Machine(name=f"control-{number:02}") for number in (1, 2, 3)),
    *(Machine(name=f"cpu-{number:02}") for number in (1, 2)),
)
