"""How many physical cards a node has, and how we know. The rules stand in docs/accounting.md."""

from collections.abc import Mapping
from dataclasses import dataclass

from gateway.errors import System
from gateway.fleet.catalogue import CATALOGUE, type_of_product
from gateway.fleet.evidence import NOTHING_BESIDE, Evidence
from gateway.fleet.gpu import CardsBasis, GpuLabels, GpuType, MigStrategy
from gateway.fleet.layouts import cards_of_slices
from gateway.fleet.mig import MIG_PREFIX
from gateway.fleet.node import KubernetesNode
from gateway.fleet.sharing import (
    GPU,
    INVALID,
    SHARED_GPU,
    capacity_of,
    exceeds_labels,
    is_shared,
    is_split,
    offers,
    shares_of_card,
    single_mig_profile,
)
from gateway.fleet.slurm import SlurmNode
from gateway.fleet.sums import total
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown, undetermined

_OTHER_VENDORS = ("amd.com/", "gpu.intel.com/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cards:
    """A count of physical cards, and the rule that told it."""

    count: int | Unknown
    basis: CardsBasis | Unknown
    contradiction: str | None = None
    """Where the labels and the capacity do not agree."""


def kubernetes_cards(
    node: KubernetesNode, beside: Evidence = NOTHING_BESIDE, types: Mapping[str, GpuType] = CATALOGUE
) -> Cards:
    """Count the cards of a node by the first rule that decides."""
    cut = single_mig_profile(node.gpu_labels)
    if cut and cut != INVALID:
        return _cut_alike(node, cut, beside, types)
    if obstacle := _obstacle(node):
        return _unknown(undetermined(System.KUBERNETES, obstacle))
    count = node.gpu_labels.count
    if not isinstance(count, int):
        return _unknown(count or undetermined(System.KUBERNETES, "no label nvidia.com/gpu.count"))
    if is_shared(node) or is_split(node):
        return _labelled(count, _too_many_shares(node, count))
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
    count = total(cards)
    return _unknown(count) if isinstance(count, Unknown) else Cards(count=count, basis=CardsBasis.SLURM_GRES)


def guest(host: str) -> Unknown:
    """Why a node of Slurm that runs in a pod has no cards of its own: several may tell of the same ones."""
    return undetermined(System.SLURM, f"it runs in a pod on {host}, and its GPUs are of that machine")


def other_vendor(node: KubernetesNode) -> str | None:
    """Name a resource of GPUs that NVIDIA's labels do not speak of."""
    others = (one.name for one in node.resources if one.name.startswith(_OTHER_VENDORS))
    return next((name for name in others if offers(node, name)), None)


def _obstacle(node: KubernetesNode) -> str | None:
    """What keeps the labels from telling the cards."""
    if single_mig_profile(node.gpu_labels) == INVALID:
        return "the MIG layout is invalid under the single strategy, and the labels then count nothing"
    if other := other_vendor(node):
        return f"{other} counts partitions or shares of cards that no label counts"
    if is_split(node) and node.gpu_labels.count is None:
        return "its cards are split into virtual GPUs, which do not tell the cards"
    return None


def _cut_alike(node: KubernetesNode, cut: str, beside: Evidence, types: Mapping[str, GpuType]) -> Cards:
    """Count the cards of slices by the layout that cut them; capacity below the labels is lost slices."""
    labels = node.gpu_labels
    if isinstance(beside.layouts, Unknown):
        return _unknown(beside.layouts)
    if not is_shared(node) and exceeds_labels(node):
        said = (
            f"nvidia.com/gpu is {capacity_of(node, GPU)}, and the labels count {labels.count} slices ({cut})"
        )
        return _unknown(undetermined(System.KUBERNETES, said))
    kind = type_of_product(types, labels.product or "")
    count = cards_of_slices(labels, cut, kind, beside.layouts)
    return _unknown(count) if isinstance(count, Unknown) else Cards(count=count, basis=CardsBasis.MIG_CONFIG)


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


def _unknown(why: Unknown) -> Cards:
    return Cards(count=why, basis=why)
