"""How a node's cards are cut: slices by profile, whole cards, cards under MIG."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gateway.errors import System
from gateway.fleet.amd import amd_whole
from gateway.fleet.beside import NOTHING_BESIDE, Beside
from gateway.fleet.cards import Cards
from gateway.fleet.catalogue import profile as profile_named
from gateway.fleet.claimed import cut_cards
from gateway.fleet.gpu import CardsBasis, ExtendedResource, GpuType, MigStrategy
from gateway.fleet.mig import MIG_PREFIX, MigProfile, MigSlice
from gateway.fleet.node import KubernetesNode
from gateway.fleet.offer import capacity_of
from gateway.fleet.packing import least_cards
from gateway.fleet.sharing import (
    GPU,
    INVALID,
    SHARED_GPU,
    gpu_unit,
    labelled_slices,
    profile_of_key,
    shares_of_card,
    single_mig_profile,
)
from gateway.fleet.sums import above, total
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined

_MIG_CAPABLE = "nvidia.com/mig.capable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """How many cards are whole, and how many are cut into slices."""

    whole: int | Unknown
    partitioned: int | Unknown
    idle: int = 0
    """Cards that are certainly neither offered whole nor cut: empty under MIG, or lost."""


def mig_slices(
    node: KubernetesNode, gpu_type: GpuType | None, resources: Iterable[ExtendedResource]
) -> tuple[MigSlice, ...]:
    """Group the slices of a node by profile; keys that stand at zero are history, not slices."""
    named = ((_profile_of(node, resource.name), resource) for resource in resources)
    return tuple(
        MigSlice(
            cluster=node.cluster,
            node=node.name,
            profile=profile_named(gpu_type, name),
            resource_name=resource.name,
            unit=_slices_or_shares(node, resource),
            slices=_instances(node, resource),
            capacity=resource.capacity,
            allocatable=resource.allocatable,
            requested=resource.requested,
            free=resource.free,
        )
        for name, resource in named
        if name is not None and resource.capacity != 0
    )


def partition(
    node: KubernetesNode,
    gpu_type: GpuType | None,
    told: Cards,
    slices: Sequence[MigSlice],
    beside: Beside = NOTHING_BESIDE,
) -> Partition:
    """Tell whole cards from cut ones; unknown where what stands there does not add up to the cards."""
    cards, basis = told.count, told.basis
    if isinstance(cards, Unknown):
        return _undecided(cards)
    if basis is CardsBasis.RESOURCE_SLICES:
        return _around(cards, above(cards, _count_of(cut_cards(beside))) or 0)
    if basis is CardsBasis.PARTITION_LABELS:
        return _around(cards, amd_whole(node))
    return _cut(node, gpu_type, cards, slices) if _may_be_cut(node, slices) else _around(cards, cards)


def _cut(node: KubernetesNode, gpu_type: GpuType | None, cards: int, slices: Sequence[MigSlice]) -> Partition:
    counts, whole = _counts(slices), _offered_whole(node)
    if isinstance(whole, Unknown):
        return _undecided(whole)
    least = counts if isinstance(counts, Unknown) else least_cards(counts, gpu_type)
    if isinstance(least, Unknown):
        return _undecided(least)
    return _divided(cards, whole, least, sum(_expected(node, group) for group in slices))


def _count_of(cut: Maybe[frozenset[str]]) -> Maybe[int]:
    return len(cut) if isinstance(cut, frozenset) else cut


def _around(cards: int, whole: int | Unknown) -> Partition:
    """All cards but the whole ones are cut."""
    return (
        _undecided(whole) if isinstance(whole, Unknown) else Partition(whole=whole, partitioned=cards - whole)
    )


def _divided(cards: int, whole: int, least_cut: int, most_cut: int) -> Partition:
    if whole + least_cut > cards:
        return _undecided(
            _misfit(f"{whole} whole cards and slices of {least_cut} more do not fit into {cards}")
        )
    idle = cards - whole - most_cut
    if idle > 0:
        why = _misfit(f"{idle} of {cards} cards are neither offered whole nor cut: empty under MIG, or lost")
        return Partition(whole=why, partitioned=why, idle=idle)
    return Partition(whole=whole, partitioned=cards - whole)


def _expected(node: KubernetesNode, group: MigSlice) -> int:
    """Count the slices of a group that are there by capacity or by label."""
    counts = (group.slices, labelled_slices(node, group.resource_name))
    return max(count for count in counts if isinstance(count, int))


def _may_be_cut(node: KubernetesNode, slices: Sequence[MigSlice]) -> bool:
    if slices:
        return True
    strategy = node.gpu_labels.mig_strategy
    known_whole = strategy in {None, MigStrategy.NONE, MigStrategy.SINGLE}
    return not known_whole and node.labels.get(_MIG_CAPABLE) != "false"


def _counts(slices: Iterable[MigSlice]) -> dict[MigProfile, int] | Unknown:
    counts: dict[MigProfile, int] = {}
    for group in slices:
        if isinstance(group.slices, Unknown):
            return group.slices
        counts[group.profile] = counts.get(group.profile, 0) + group.slices
    return counts


def _profile_of(node: KubernetesNode, resource: str) -> str | None:
    if resource.startswith(MIG_PREFIX):
        return profile_of_key(resource)
    if resource in {GPU, SHARED_GPU}:
        name = single_mig_profile(node.gpu_labels)
        return None if name == INVALID else name
    return None


def _slices_or_shares(node: KubernetesNode, resource: ExtendedResource) -> GpuUnit:
    return GpuUnit.SHARE if gpu_unit(node, resource.name) is GpuUnit.SHARE else GpuUnit.SLICE


def _instances(node: KubernetesNode, resource: ExtendedResource) -> int | Unknown:
    """Count the slices themselves: the labels do not count shares, the capacity may."""
    told: Maybe[int]
    if resource.name in {GPU, SHARED_GPU}:
        told = node.gpu_labels.count
    elif _slices_or_shares(node, resource) is GpuUnit.SHARE:
        told = labelled_slices(node, resource.name)
    else:
        told = resource.capacity
    return _misfit(f"nothing tells how many slices {resource.name} is made of") if told is None else told


def _offered_whole(node: KubernetesNode) -> int | Unknown:
    """Count the cards offered whole, before replicas."""
    if single_mig_profile(node.gpu_labels):
        return 0  # those keys count slices then
    offered = total((name, capacity_of(node, name)) for name in (GPU, SHARED_GPU))
    shares = shares_of_card(node)
    if not offered or isinstance(offered, Unknown):
        return offered
    if isinstance(shares, Unknown):
        return shares
    if offered % shares:
        return _misfit(f"{offered} shares, {shares} a card, are no number of whole cards")
    return offered // shares


def _misfit(reason: str) -> Unknown:
    return undetermined(System.KUBERNETES, reason)


def _undecided(why: Unknown) -> Partition:
    return Partition(whole=why, partitioned=why)
