"""How a node's cards are cut: slices by profile, whole cards, cards under MIG."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil

from gateway.errors import System
from gateway.fleet.cards import GPU, SHARED_GPU, capacity_of, gpu_unit, is_shared, single_mig_profile
from gateway.fleet.catalogue import profile as profile_named
from gateway.fleet.gpu import ExtendedResource, GpuType, MigStrategy
from gateway.fleet.mig import MIG_PREFIX, MigProfile, MigSlice
from gateway.fleet.node import KubernetesNode
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """How many cards are whole, and how many are cut into slices."""

    whole: int | Unknown
    partitioned: int | Unknown


def mig_slices(
    node: KubernetesNode, gpu_type: GpuType | None, resources: Iterable[ExtendedResource]
) -> tuple[MigSlice, ...]:
    """Group the slices of a node by profile; keys that stand at zero are history, not slices."""
    found = []
    for resource in resources:
        name = _profile_of(node, resource.name)
        if name is None or resource.capacity == 0:
            continue
        unit = gpu_unit(node, resource.name)
        found.append(
            MigSlice(
                cluster=node.cluster,
                node=node.name,
                profile=profile_named(gpu_type, name),
                resource_name=resource.name,
                unit=GpuUnit.SHARE if unit is GpuUnit.SHARE else GpuUnit.SLICE,
                slices=_instances(node, resource, name),
                capacity=resource.capacity,
                allocatable=resource.allocatable,
                requested=resource.requested,
                free=resource.free,
            )
        )
    return tuple(found)


def partition(node: KubernetesNode, cards: int | Unknown, slices: Iterable[MigSlice]) -> Partition:
    """Tell whole cards from cut ones; unknown where what stands there does not fit into the cards."""
    if isinstance(cards, Unknown):
        return Partition(whole=cards, partitioned=cards)
    if node.gpu_labels.mig_strategy is not MigStrategy.MIXED:
        return Partition(whole=cards, partitioned=0)
    cut = _least_cards(slices)
    whole = _whole_offered(node)
    if isinstance(whole, Unknown) or isinstance(cut, Unknown):
        why = whole if isinstance(whole, Unknown) else cut
        return Partition(whole=why, partitioned=why)
    if whole + cut > cards:
        why = _implausible(f"{whole} whole cards and slices of {cut} more do not fit into {cards}")
        return Partition(whole=why, partitioned=why)
    if not cut and whole < cards:
        why = _implausible(
            f"{cards - whole} of {cards} cards are neither offered whole nor cut: empty or lost"
        )
        return Partition(whole=why, partitioned=why)
    return Partition(whole=whole, partitioned=cards - whole)


def least_cards(counts: Mapping[MigProfile, int]) -> int | Unknown:
    """Count the cards that these slices need at the least."""
    compute, per_card, crowded = 0, 0, 0
    for profile, count in counts.items():
        if profile.max_per_card is None or profile.compute_slices is None:
            return _implausible(f"how many {profile.name} fit on a card is not known")
        compute += profile.compute_slices * count
        per_card = max(per_card, profile.compute_slices * profile.max_per_card)
        crowded = max(crowded, ceil(count / profile.max_per_card))
    return max(crowded, ceil(compute / _COMPUTE_SLICES)) if counts else 0


_COMPUTE_SLICES = 7
"""Compute slices of the largest boards: a bound from below for all of them."""


def _least_cards(slices: Iterable[MigSlice]) -> int | Unknown:
    counts: dict[MigProfile, int] = {}
    for group in slices:
        if isinstance(group.slices, Unknown):
            return group.slices
        counts[group.profile] = counts.get(group.profile, 0) + group.slices
    return least_cards(counts)


def _profile_of(node: KubernetesNode, resource: str) -> str | None:
    if resource.startswith(MIG_PREFIX):
        return resource.removeprefix(MIG_PREFIX).removesuffix(".shared")
    if resource in {GPU, SHARED_GPU}:
        name = single_mig_profile(node.gpu_labels)
        return None if name == "INVALID" else name
    return None


def _instances(node: KubernetesNode, resource: ExtendedResource, profile: str) -> int | Unknown:
    """Count the slices themselves: the label does not count shares, the capacity may."""
    labels = node.gpu_labels
    labelled: Maybe[int]
    if resource.name in {GPU, SHARED_GPU}:
        labelled = labels.count
    elif gpu_unit(node, resource.name) is GpuUnit.SHARE:
        labelled = labels.profile_counts.get(profile)
    else:
        labelled = resource.capacity
    return undetermined(System.KUBERNETES, f"{resource.name}: no count") if labelled is None else labelled


def _whole_offered(node: KubernetesNode) -> int | Unknown:
    """Count the cards offered whole, before replicas."""
    offered = [capacity_of(node, name) or 0 for name in (GPU, SHARED_GPU)]
    for count in offered:
        if isinstance(count, Unknown):
            return count
    total = sum(count for count in offered if isinstance(count, int))
    replicas = node.gpu_labels.replicas
    if is_shared(node) and isinstance(replicas, int) and replicas > 1:
        return total // replicas
    return total


def _implausible(reason: str) -> Unknown:
    return undetermined(System.KUBERNETES, reason)
