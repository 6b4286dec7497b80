"""The labels of a node: Kubernetes' own, gpu-feature-discovery's and the GPU operator's."""

from datetime import datetime, timedelta

from gateway.simulator.scenario.hardware import Machine, Mig, Model

_DRIVER = "580.95.05"
_DEPLOYED = ("container-toolkit", "dcgm", "dcgm-exporter", "device-plugin", "driver", "gpu-feature-discovery")
_SLICE_MIB = {
    "1g.10gb": 9856,
    "1g.10gb.me": 9856,
    "1g.20gb": 19968,
    "2g.20gb": 19968,
    "3g.40gb": 40192,
    "4g.40gb": 40192,
    "7g.80gb": 80896,
}
_PAUSED = ("dcgm", "dcgm-exporter", "device-plugin", "gpu-feature-discovery")


def node_labels(machine: Machine, now: datetime) -> dict[str, str]:
    """All labels of a machine's node."""
    labels = {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": machine.name,
        "kubernetes.io/os": "linux",
    }
    if machine.name.startswith("control-"):
        labels["node-role.kubernetes.io/control-plane"] = ""
    if machine.model is None:
        return labels
    started = int((now - timedelta(days=20)).timestamp())
    return (
        labels
        | _model_labels(machine.model, started)
        | _count_labels(machine, machine.model)
        | (_mig_labels(machine.model, machine.mig) if machine.mig else {})
        | _operator_labels(machine)
        | machine.overwritten
    )


def _model_labels(model: Model, started: int) -> dict[str, str]:
    major, _, minor = model.compute.partition(".")
    return {
        "nvidia.com/cuda.driver-version.full": _DRIVER,
        "nvidia.com/gfd.timestamp": str(started),
        "nvidia.com/gpu.compute.major": major,
        "nvidia.com/gpu.compute.minor": minor,
        "nvidia.com/gpu.family": model.family,
        "nvidia.com/gpu.machine": model.host,
        "nvidia.com/gpu.memory": str(model.memory_mib),
        "nvidia.com/gpu.mode": "compute",
        "nvidia.com/mig.capable": str(model.family in {"ampere", "hopper"}).lower(),
    }


def _count_labels(machine: Machine, model: Model) -> dict[str, str]:
    shared = machine.replicas > 1
    suffix = "-SHARED" if shared and not machine.renamed else ""
    return {
        "nvidia.com/gpu.count": str(machine.cards),
        "nvidia.com/gpu.product": model.product + suffix,
        "nvidia.com/gpu.replicas": str(machine.replicas),
        "nvidia.com/gpu.sharing-strategy": "time-slicing" if shared else "none",
    }


def _mig_labels(model: Model, mig: Mig) -> dict[str, str]:
    labels = {
        "nvidia.com/mig.strategy": mig.strategy,
        "nvidia.com/mig.config": mig.config,
        "nvidia.com/mig.config.state": mig.state,
    }
    if mig.strategy == "single" and mig.slices:
        # Under this strategy the labels of the card become those of the slice, its count too.
        profile, count = next(iter(mig.slices.items()))
        return labels | {
            "nvidia.com/gpu.count": str(count),
            "nvidia.com/gpu.memory": str(_SLICE_MIB[profile]),
            "nvidia.com/gpu.product": f"{model.product}-MIG-{profile}",
        }
    for profile, count in mig.slices.items():
        prefix = f"nvidia.com/mig-{profile}"
        labels |= {
            f"{prefix}.count": str(count),
            f"{prefix}.memory": str(_SLICE_MIB[profile]),
            f"{prefix}.product": f"{model.product}-MIG-{profile}",
            f"{prefix}.replicas": "1",
            f"{prefix}.sharing-strategy": "none",
        }
    return labels | {"nvidia.com/gpu.replicas": "1" if mig.whole else "0"}


def _operator_labels(machine: Machine) -> dict[str, str]:
    labels = {"nvidia.com/gpu.present": "true", "feature.node.kubernetes.io/pci-10de.present": "true"}
    labels |= {f"nvidia.com/gpu.deploy.{operand}": "true" for operand in _DEPLOYED}
    if machine.changing:
        labels |= {f"nvidia.com/gpu.deploy.{operand}": "paused-for-mig-change" for operand in _PAUSED}
    return labels
