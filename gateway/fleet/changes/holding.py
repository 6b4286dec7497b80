"""What work of a workspace holds of one GPU type, and so which of it fewer cards would hurt."""

from gateway.fleet.changes.work import by_name
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import GpuType, NodeGpus
from gateway.fleet.platform import Workspace
from gateway.fleet.pod import Pod
from gateway.fleet.sharing import GPU
from gateway.fleet.sums import total
from gateway.fleet.unknown import Unknown
from gateway.fleet.usage import allocations


def beyond(cards: int, workspace: Workspace, gpu_type: str, fleet: Fleet) -> tuple[Pod, ...] | Unknown:
    """The pods of a workspace that together hold more cards of a type; none where they do not."""
    every = fleet.pods_of_namespaces(workspace.cluster_name, workspace.namespaces)
    if isinstance(every, Unknown):
        return every
    pods = by_name(pod for pod in every if _cards(pod) != 0 and _may_be_on(pod, gpu_type, fleet))
    held = total((pod.name, _cards(pod)) for pod in pods)
    if isinstance(held, Unknown):
        return pods
    return pods if max(held, _told_by_queue(workspace, gpu_type, fleet)) > cards else ()


def _cards(pod: Pod) -> int | Unknown:
    return (
        total((one.resource, one.count) for one in pod.gpus if one.resource == GPU) if pod.holds_gpus else 0
    )


def _may_be_on(pod: Pod, gpu_type: str, fleet: Fleet) -> bool:
    """Whether a pod's node has cards of this type, or may have: nothing tells of which they are."""
    node = fleet.node(pod.cluster, pod.node_name or "")
    gpus = node.gpus if node else None
    kind = gpus.type if isinstance(gpus, NodeGpus) else None
    return not isinstance(kind, GpuType) or kind.name == gpu_type


def _told_by_queue(workspace: Workspace, gpu_type: str, fleet: Fleet) -> int:
    used = (one.used for one in allocations(workspace, fleet) if one.gpu_type.name == gpu_type)
    told = next(used, 0)
    return told if isinstance(told, int) else 0
