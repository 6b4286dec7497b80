"""Work of the demo that waits, each for another reason."""

from gateway.simulator.scenario.hardware import GPU, NOTEBOOKS_TAINT, SHARED_GPU
from gateway.simulator.scenario.work import ANY_GPU, Form, Work
from gateway.simulator.store import Json

_PRODUCT, _MEMORY, _HOST = "nvidia.com/gpu.product", "nvidia.com/gpu.memory", "kubernetes.io/hostname"

_TAINTED = "8 node(s) had untolerated taint(s)"
_UNLIKE = "node(s) didn't match Pod's node affinity/selector"
_NO_HELP = "Preemption is not helpful for scheduling"


def _said(nodes: str, preemption: str) -> str:
    """The message of kube-scheduler (1.36) about 36 nodes."""
    before = f"0/36 nodes are available: {nodes}. no new claims to deallocate"
    return f"{before}, preemption: 0/36 nodes are available: {preemption}."


def _in_vain(nodes: str) -> str:
    """The same where evicting others would help on no node."""
    return _said(nodes, f"36 {_NO_HELP}")


def _bare(name: str, queue: str, said: str, spec: dict[str, Json], asks: tuple[int, str]) -> Work:
    devices, resource = asks
    return Work(
        queue=queue,
        name=name,
        pods=1,
        devices=devices,
        on=(),
        resource=resource,
        form=Form.BARE,
        scheduler="default-scheduler",
        spec=spec,
        says=said,
    )


def _requires(*wanted: tuple[str, str, str]) -> Json:
    """An affinity that demands all of these labels: key, operator, value."""
    terms = [{"key": key, "operator": operator, "values": [value]} for key, operator, value in wanted]
    selector = {"nodeSelectorTerms": [{"matchExpressions": terms}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}}


WAITING = (
    # No card is cut so; gpu-a100-06 has three whole ones that nobody holds.
    _bare(
        "depth-4g",
        "robotics-perception",
        _in_vain("25 Insufficient nvidia.com/mig-4g.40gb, 3 node(s) were unschedulable, " + _TAINTED),
        {},
        (1, "nvidia.com/mig-4g.40gb"),
    ),
    # The key of the taint is tolerated, with another value than it has.
    _bare(
        "jupyter-batch",
        "robotics-notebooks",
        _in_vain(f"25 Insufficient {SHARED_GPU}, 3 node(s) were unschedulable, {_TAINTED}"),
        {"tolerations": [ANY_GPU, {"operator": "Equal", **NOTEBOOKS_TAINT, "value": "batch"}]},
        (1, SHARED_GPU),
    ),
    # Five H100s are free, and no machine has five of them; Slurm holds gpu-h100-08, as somebody knew.
    _bare(
        "merge-adapters",
        "language-finetuning",
        _said(
            f"18 {_UNLIKE}, 3 node(s) were unschedulable, 7 Insufficient {GPU}, {_TAINTED}",
            f"29 {_NO_HELP}, 7 No preemption victims found for incoming pod",
        ),
        {"affinity": _requires((_PRODUCT, "In", "NVIDIA-H100-80GB-HBM3"), (_HOST, "NotIn", "gpu-h100-08"))},
        (5, GPU),
    ),
    # It asks for more memory than any card has.
    _bare(
        "rerank-xl",
        "search-ranking",
        _in_vain(f"25 {_UNLIKE}, 3 node(s) were unschedulable, {_TAINTED}"),
        {"affinity": _requires((_MEMORY, "Gt", "150000"))},
        (1, GPU),
    ),
    # Whoever counts the budget has not let it go.
    _bare(
        "eval-70b",
        "language-pretraining",
        "Scheduling is blocked due to non-empty scheduling gates",
        {"schedulingGates": [{"name": "example.com/budget"}]},
        (1, GPU),
    ),
)
"""None of it ever gets a machine."""
