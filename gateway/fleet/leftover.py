"""Labels that gpu-feature-discovery left behind on a node where it does not run any more."""

from gateway.fleet.gpu import MigConfigState
from gateway.fleet.mig import MIG_PREFIX
from gateway.fleet.node import KubernetesNode
from gateway.fleet.offer import capacity_of
from gateway.fleet.pod import Pod
from gateway.fleet.sharing import GPU, SHARED_GPU, labelled_slices, shares_of_card, single_mig_profile
from gateway.fleet.sums import total
from gateway.fleet.unknown import Unknown

_PAUSED = ("nvidia.com/gpu.deploy.gpu-feature-discovery", "paused-for-mig-change")
LEFT_OVER = (
    "gpu-feature-discovery runs on other nodes of the cluster and not here: its labels may be left over"
)


def discovers(pod: Pod) -> bool:
    """Whether it is gpu-feature-discovery, of the GPU operator or of a chart, on some node."""
    owner = pod.controller
    named = owner is not None and owner.startswith("DaemonSet/") and owner.endswith("gpu-feature-discovery")
    return named and pod.node_name is not None and not pod.ended


def is_labelled(node: KubernetesNode) -> bool:
    """Whether there are labels of its that should be kept up; during a MIG change it rests."""
    labels = node.gpu_labels
    resting = labels.mig_config_state in {MigConfigState.PENDING, MigConfigState.REBOOTING}
    told = labels.count is not None or labels.product is not None
    return told and not resting and node.labels.get(_PAUSED[0]) != _PAUSED[1]


def agrees(node: KubernetesNode) -> bool:
    """Whether the capacity is what the labels count, so that they are right all the same."""
    offered = total((name, capacity_of(node, name)) for name in (GPU, SHARED_GPU))
    shares = node.gpu_labels.replicas if single_mig_profile(node.gpu_labels) else shares_of_card(node)
    count = node.gpu_labels.count
    if isinstance(offered, Unknown) or not isinstance(shares, int) or not isinstance(count, int):
        return False
    counted = count * max(shares, 1)
    profiles = node.gpu_labels.profile_counts
    names = {f"{MIG_PREFIX}{profile}" for profile in profiles}
    cut = {one.name for one in node.resources if one.name.startswith(MIG_PREFIX)} | names
    if not any(capacity_of(node, name) or labelled_slices(node, name) for name in cut):
        return offered == counted
    return offered <= counted and all(_slices_agree(node, name) for name in cut)


def _slices_agree(node: KubernetesNode, name: str) -> bool:
    return (capacity_of(node, name) or 0) == (labelled_slices(node, name) or 0)
