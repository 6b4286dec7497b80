"""How many physical cards a node has, and how we know. The rules stand in docs/accounting.md."""

from collections.abc import Mapping
from dataclasses import dataclass

from gateway.errors import System
from gateway.fleet.gpu import CardsBasis, GpuLabels, MigStrategy
from gateway.fleet.node import KubernetesNode
from gateway.fleet.quantity import device_count
from gateway.fleet.slurm import SlurmNode
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined

GPU = "nvidia.com/gpu"
SHARED_GPU = "nvidia.com/gpu.shared"
_SPLITTERS = ("volcano.sh/vgpu-", "nvidia.com/gpumem", "nvidia.com/gpucores")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cards:
    """A count of physical cards, and the rule that told it."""

    count: int | Unknown
    basis: CardsBasis | Unknown
    labels_tell_type: bool = True
    """False where the labels speak of one of several models."""


def kubernetes_cards(node: KubernetesNode) -> Cards:
    """Count the cards of a node that Kubernetes knows: rules 2 and 3, else unknown with the reason."""
    labels = node.gpu_labels
    obstacle = _obstacle(node)
    if obstacle is not None:
        return _unknown(undetermined(System.KUBERNETES, obstacle))
    count = labels.count
    if not isinstance(count, int):
        return _unknown(count or undetermined(System.KUBERNETES, "no label nvidia.com/gpu.count"))
    capacity = capacity_of(node, GPU)
    if not is_shared(node) and isinstance(capacity, int) and capacity > count:
        return Cards(count=capacity, basis=CardsBasis.CAPACITY, labels_tell_type=False)
    return Cards(count=count, basis=CardsBasis.GPU_COUNT_LABEL)


def slurm_cards(node: SlurmNode) -> Cards:
    """Count the cards of a node that only Slurm knows: rule 6."""
    total = 0
    for gres in node.gres:
        if gres.unit is not GpuUnit.CARD:
            continue
        if isinstance(gres.configured, Unknown):
            return _unknown(gres.configured)
        total += gres.configured
    if not total and any(gres.unit is GpuUnit.SLICE for gres in node.gres):
        return _unknown(undetermined(System.SLURM, "its GRES lists slices, which do not tell the cards"))
    return Cards(count=total, basis=CardsBasis.SLURM_GRES)


def is_shared(node: KubernetesNode) -> bool:
    """Whether one card serves several pods, by time-slicing or MPS."""
    labels = node.gpu_labels
    replicas = labels.replicas
    renamed = any(resource.name.endswith(".shared") for resource in node.resources)
    several = isinstance(replicas, int) and replicas > 1
    return renamed or several or (labels.product or "").endswith("-SHARED")


def single_mig_profile(labels: GpuLabels) -> str | None:
    """Read the profile that nvidia.com/gpu stands for where MIG is on under the single strategy."""
    if labels.mig_strategy is not MigStrategy.SINGLE or "-MIG-" not in (labels.product or ""):
        return None
    return (labels.product or "").rsplit("-MIG-", 1)[1].removesuffix("-SHARED")


def capacity_of(node: KubernetesNode, name: str) -> Maybe[int]:
    """Count what a node has of one resource; None where it has no such key."""
    for resource in node.resources:
        if resource.name == name:
            amount = resource.capacity
            if amount is None or isinstance(amount, Unknown):
                return amount
            return device_count(amount, System.KUBERNETES)
    return None


def gpu_unit(node: KubernetesNode, resource: str) -> GpuUnit | None:
    """Tell what a count of this resource on this node counts."""
    if resource.endswith(".shared"):
        return GpuUnit.SHARE
    if resource.startswith("nvidia.com/mig-"):
        replicas = node.gpu_labels.profile_replicas.get(resource.removeprefix("nvidia.com/mig-"))
        return GpuUnit.SHARE if isinstance(replicas, int) and replicas > 1 else GpuUnit.SLICE
    if resource == GPU:
        if is_shared(node):
            return GpuUnit.SHARE
        return GpuUnit.SLICE if single_mig_profile(node.gpu_labels) else GpuUnit.CARD
    return _UNITS.get(resource)


_UNITS: Mapping[str, GpuUnit] = {
    "volcano.sh/vgpu-number": GpuUnit.SHARE,
    "volcano.sh/vgpu-cores": GpuUnit.CORE,
    "volcano.sh/vgpu-memory": GpuUnit.MEMORY,
    "nvidia.com/gpucores": GpuUnit.CORE,
    "nvidia.com/gpumem": GpuUnit.MEMORY,
}


def _obstacle(node: KubernetesNode) -> str | None:
    """What keeps the labels from telling the cards."""
    profile = single_mig_profile(node.gpu_labels)
    if profile == "INVALID":
        return "the MIG layout is invalid under the single strategy, and the labels then count nothing"
    if profile:
        return (
            f"under the single MIG strategy nvidia.com/gpu counts slices ({profile}), and no label the cards"
        )
    if node.hami_register or any(resource.name.startswith(_SPLITTERS) for resource in node.resources):
        return "its cards are split into virtual GPUs, which do not tell the cards"
    if node.gpu_labels.count is None and any(
        resource.name.startswith(("amd.com/", "gpu.intel.com/")) for resource in node.resources
    ):
        return "partitions and shares of AMD and Intel GPUs do not tell the cards"
    return None


def _unknown(why: Unknown) -> Cards:
    return Cards(count=why, basis=why)
