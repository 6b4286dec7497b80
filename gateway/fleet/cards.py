"""How many physical cards a node has, and how we know. The rules stand in docs/accounting.md."""

from collections.abc import Mapping
from dataclasses import dataclass

from gateway.errors import System
from gateway.fleet import amd
from gateway.fleet.beside import NOTHING_BESIDE, Beside
from gateway.fleet.catalogue import CATALOGUE, type_of_product
from gateway.fleet.dra import cards_of
from gateway.fleet.gpu import CardsBasis, GpuLabels, GpuType, MigStrategy
from gateway.fleet.layouts import cards_of_slices
from gateway.fleet.leftover import LEFT_OVER, agrees
from gateway.fleet.mig import MIG_PREFIX
from gateway.fleet.node import KubernetesNode
from gateway.fleet.offer import capacity_of, offers
from gateway.fleet.sharing import (
    GPU,
    INVALID,
    SHARED_GPU,
    exceeds_labels,
    is_dedicated,
    is_shared,
    is_split,
    shares_of_card,
    single_mig_profile,
)
from gateway.fleet.slurm import SlurmNode
from gateway.fleet.sums import total
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown, undetermined
from gateway.fleet.virtual import virtual_cards

_OTHER_VENDORS = (amd.PREFIX, "gpu.intel.com/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cards:
    """A count of physical cards, and the rule that told it."""

    count: int | Unknown
    basis: CardsBasis | Unknown
    contradiction: str | None = None
    """Where the labels and the capacity do not agree."""


def kubernetes_cards(
    node: KubernetesNode, beside: Beside = NOTHING_BESIDE, types: Mapping[str, GpuType] = CATALOGUE
) -> Cards:
    """Count the cards of a node by the first rule that decides."""
    listed = cards_of(beside.slices)
    if listed is not None:
        return _counted(listed, CardsBasis.RESOURCE_SLICES)
    return _labelled_or_offered(node, beside, types)


def _labelled_or_offered(node: KubernetesNode, beside: Beside, types: Mapping[str, GpuType]) -> Cards:
    if beside.labels_left and not agrees(node):
        return _unknown(undetermined(System.KUBERNETES, f"{LEFT_OVER}, and the capacity is another"))
    cut = single_mig_profile(node.gpu_labels)
    if cut:
        return _cut_alike(node, cut, beside, types)
    if other := other_vendor(node):
        return _of_other_vendor(node, other)
    count = node.gpu_labels.count
    if not isinstance(count, int):
        return _unknown(count) if count else _unlabelled(node)
    if is_shared(node) or is_split(node):
        return _labelled(count, _too_many_shares(node, count) or _registered_otherwise(node, count))
    return _several_models(node, count) if exceeds_labels(node) else _labelled(count)


def slurm_cards(node: SlurmNode) -> Cards:
    """Count the cards of a node that only Slurm knows, by its GRES."""
    if node.host:
        return _unknown(guest(node.host))
    if any(gres.unit is GpuUnit.SLICE and gres.configured != 0 for gres in node.gres):
        return _unknown(undetermined(System.SLURM, "its GRES lists slices, which do not tell the cards"))
    cards = [(gres.name, gres.configured) for gres in node.gres if gres.unit is GpuUnit.CARD]
    if not cards and node.gres:
        return _unknown(undetermined(System.SLURM, "its GRES lists shares, which do not tell the cards"))
    return _counted(total(cards), CardsBasis.SLURM_GRES)


def guest(host: str) -> Unknown:
    """Why a node of Slurm that runs in a pod has no cards of its own: several may tell of the same ones."""
    return undetermined(System.SLURM, f"it runs in a pod on {host}, and its GPUs are of that machine")


def other_vendor(node: KubernetesNode) -> str | None:
    """Name a resource of GPUs that NVIDIA's labels do not speak of."""
    others = (one.name for one in node.resources if one.name.startswith(_OTHER_VENDORS))
    return next((name for name in others if offers(node, name)), None)


def _of_other_vendor(node: KubernetesNode, name: str) -> Cards:
    if name.startswith(amd.PREFIX) and node.gpu_labels.count is None and not offers(node, GPU):
        return _counted(amd.amd_cards(node), CardsBasis.PARTITION_LABELS)
    said = f"{name} counts partitions or shares of cards that no label counts"
    return _unknown(undetermined(System.KUBERNETES, said))


def _unlabelled(node: KubernetesNode) -> Cards:
    """Count what is registered of each card, or the capacity where it counts cards alone."""
    if is_split(node):
        found = virtual_cards(node)
        return _unknown(found) if isinstance(found, Unknown) else Cards(count=found[0], basis=found[1])
    offered = capacity_of(node, GPU)
    if offered and is_dedicated(node):
        return _counted(offered, CardsBasis.CAPACITY)
    said = "no label nvidia.com/gpu.count, and nothing tells that nvidia.com/gpu counts cards"
    return _unknown(undetermined(System.KUBERNETES, said))


def _cut_alike(node: KubernetesNode, cut: str, beside: Beside, types: Mapping[str, GpuType]) -> Cards:
    """Count the cards of slices by the layout that cut them; capacity below the labels is lost slices."""
    labels = node.gpu_labels
    if cut == INVALID:
        said = "the MIG layout is invalid under the single strategy, and the labels then count nothing"
        return _unknown(undetermined(System.KUBERNETES, said))
    if isinstance(beside.layouts, Unknown):
        return _unknown(beside.layouts)
    if not is_shared(node) and exceeds_labels(node):
        said = (
            f"nvidia.com/gpu is {capacity_of(node, GPU)}, and the labels count {labels.count} slices ({cut})"
        )
        return _unknown(undetermined(System.KUBERNETES, said))
    kind = type_of_product(types, labels.product or "")
    return _counted(cards_of_slices(labels, cut, kind, beside.layouts), CardsBasis.MIG_CONFIG)


def _labelled(count: int, contradiction: str | None = None) -> Cards:
    return Cards(count=count, basis=CardsBasis.GPU_COUNT_LABEL, contradiction=contradiction)


def _several_models(node: KubernetesNode, count: int) -> Cards:
    """Take the capacity: the labels speak of one of several models, which share keys."""
    offered = capacity_of(node, GPU)
    said = f"nvidia.com/gpu is {offered}, and the labels count {count} of {node.gpu_labels.product}"
    cut = any(one.name.startswith(MIG_PREFIX) and offers(node, one.name) for one in node.resources)
    if isinstance(offered, int) and not cut and not _labels_a_cut_card(node.gpu_labels):
        return Cards(count=offered, basis=CardsBasis.CAPACITY, contradiction=said)
    return _unknown(
        undetermined(System.KUBERNETES, f"{said}: neither counts the cards under MIG beside them")
    )


def _labels_a_cut_card(labels: GpuLabels) -> bool:
    """Whether they were written for a card under MIG: its replicas are 0 (k8s-device-plugin @1b826ac)."""
    return labels.mig_strategy is MigStrategy.MIXED and labels.replicas == 0


def _too_many_shares(node: KubernetesNode, count: int) -> str | None:
    """Say where there are more shares than the cards can give: capacity confirms, it never decides."""
    shares = shares_of_card(node)
    offered = total((name, capacity_of(node, name)) for name in (GPU, SHARED_GPU))
    if isinstance(shares, Unknown) or isinstance(offered, Unknown) or offered <= count * shares:
        return None
    return f"{count} cards of {shares} shares cannot give the {offered} that are offered"


def _registered_otherwise(node: KubernetesNode, count: int) -> str | None:
    """Say where what splits the cards knows of another number of them."""
    found = virtual_cards(node)
    if isinstance(found, Unknown) or found[0] == count:
        return None
    return f"the labels count {count} cards, and {found[0]} are registered as virtual GPUs"


def _counted(count: int | Unknown, basis: CardsBasis) -> Cards:
    return _unknown(count) if isinstance(count, Unknown) else Cards(count=count, basis=basis)


def _unknown(why: Unknown) -> Cards:
    return Cards(count=why, basis=why)
