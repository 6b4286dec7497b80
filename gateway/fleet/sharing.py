"""What a count of nvidia.com/gpu and its kin means on one node: cards, slices, or shares of either."""

from collections.abc import Mapping

from gateway.errors import System
from gateway.fleet.amd import PREFIX, amd_unit
from gateway.fleet.gpu import GpuLabels, MigStrategy
from gateway.fleet.mig import MIG_PREFIX
from gateway.fleet.node import KubernetesNode
from gateway.fleet.offer import capacity_of, offers
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined

GPU = "nvidia.com/gpu"
SHARED_GPU = "nvidia.com/gpu.shared"
INVALID = "INVALID"
"""What stands for a profile where the single strategy does not allow the layout."""
_PLUGIN_CONFIG = "nvidia.com/device-plugin.config"
_GKE = "cloud.google.com/gke-accelerator"
_GKE_SHARED = ("cloud.google.com/gke-gpu-sharing-strategy", "cloud.google.com/gke-max-shared-clients-per-gpu")
_GKE_CUT = "cloud.google.com/gke-gpu-partition-size"
_SPLITTERS = ("volcano.sh/vgpu-", "nvidia.com/gpumem", "nvidia.com/gpucores")
_UNITS: Mapping[str, GpuUnit] = {
    "volcano.sh/vgpu-number": GpuUnit.SHARE,
    "volcano.sh/vgpu-cores": GpuUnit.CORE,
    "volcano.sh/vgpu-memory": GpuUnit.MEMORY,
    "nvidia.com/gpucores": GpuUnit.CORE,
    "nvidia.com/gpumem": GpuUnit.MEMORY,
}


def gpu_unit(node: KubernetesNode, resource: str) -> GpuUnit | None:
    """Tell what a count of this resource on this node counts; None while nothing decides it."""
    if resource.endswith(".shared"):
        return GpuUnit.SHARE
    if resource.startswith(MIG_PREFIX):
        replicas = node.gpu_labels.profile_replicas.get(resource.removeprefix(MIG_PREFIX))
        return GpuUnit.SHARE if isinstance(replicas, int) and replicas > 1 else GpuUnit.SLICE
    if resource.startswith(PREFIX):
        return amd_unit(node, resource)
    return _unit_of_gpu(node) if resource == GPU else _UNITS.get(resource)


def is_shared(node: KubernetesNode) -> bool:
    """Whether one card serves several pods, by time-slicing or MPS."""
    replicas = node.gpu_labels.replicas
    return (
        offers(node, SHARED_GPU)
        or (isinstance(replicas, int) and replicas > 1)
        or (node.gpu_labels.product or "").endswith("-SHARED")
        or (_PLUGIN_CONFIG in node.labels and exceeds_labels(node))
        or any(label in node.labels for label in _GKE_SHARED)
    )


def is_dedicated(node: KubernetesNode) -> bool:
    """Whether labels say that nvidia.com/gpu counts cards, all of them: nothing is shared, split or cut."""
    labels = node.gpu_labels
    if is_shared(node) or is_split(node) or _GKE_CUT in node.labels:
        return False
    if labels.product is None:
        return _GKE in node.labels  # GKE writes beside it what it shares or cuts, by the node pool
    cut = labels.mig_strategy is MigStrategy.MIXED or single_mig_profile(labels)
    return labels.replicas == 1 and not cut


def is_split(node: KubernetesNode) -> bool:
    """Whether HAMi or Volcano splits its cards into virtual GPUs."""
    split = (one.name for one in node.resources if one.name.startswith(_SPLITTERS))
    return bool(node.hami_register) or any(offers(node, name) for name in split)


def shares_of_card(node: KubernetesNode) -> int | Unknown:
    """Count what a card adds to nvidia.com/gpu, renamed or not: 1 where it is neither shared nor split."""
    if is_split(node):
        return undetermined(System.KUBERNETES, "into how many virtual GPUs a card is split is not known")
    if not is_shared(node):
        return 1
    replicas = node.gpu_labels.replicas
    if isinstance(replicas, int) and replicas > 0:
        return replicas
    told = replicas if isinstance(replicas, Unknown) else None
    return told or undetermined(System.KUBERNETES, "no label tells how many shares a card gives")


def single_mig_profile(labels: GpuLabels) -> str | None:
    """Read the profile that nvidia.com/gpu stands for where MIG is on under the single strategy."""
    product = labels.product or ""
    return product.rsplit("-MIG-", 1)[1].removesuffix("-SHARED") if "-MIG-" in product else None


def labelled_slices(node: KubernetesNode, resource: str) -> Maybe[int]:
    """Count the slices that the labels tell of one resource, renamed or not."""
    if resource in {GPU, SHARED_GPU}:
        return node.gpu_labels.count if single_mig_profile(node.gpu_labels) else None
    return node.gpu_labels.profile_counts.get(profile_of_key(resource))


def profile_of_key(resource: str) -> str:
    """Read the profile off a MIG resource, as keys and labels write it."""
    return resource.removeprefix(MIG_PREFIX).removesuffix(".shared")


def exceeds_labels(node: KubernetesNode) -> bool:
    """Whether more of nvidia.com/gpu is there than the labels count cards."""
    count, capacity = node.gpu_labels.count, capacity_of(node, GPU)
    return isinstance(count, int) and isinstance(capacity, int) and capacity > count


def _unit_of_gpu(node: KubernetesNode) -> GpuUnit | None:
    if is_shared(node) or is_split(node):
        return GpuUnit.SHARE
    if node.gpu_labels.product is None and node.gpu_labels.replicas is None:
        # without gpu-feature-discovery it may be cards, slices or shares
        return GpuUnit.CARD if is_dedicated(node) else None
    return GpuUnit.SLICE if single_mig_profile(node.gpu_labels) else GpuUnit.CARD
