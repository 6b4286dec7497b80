"""Whether a node's cards are usable, and why not."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from gateway.errors import System
from gateway.fleet.amd import amd_lost
from gateway.fleet.beside import NOTHING_BESIDE, Beside
from gateway.fleet.cards import Cards
from gateway.fleet.claimed import lost_devices
from gateway.fleet.dra import cards_of
from gateway.fleet.gpu import ExtendedResource, GpuType, MigConfigState
from gateway.fleet.health_reason import HealthCode, HealthReason
from gateway.fleet.leftover import LEFT_OVER
from gateway.fleet.mig import MIG_PREFIX, MigProfile, MigSlice
from gateway.fleet.node import KubernetesNode, NodeHealth
from gateway.fleet.packing import least_cards
from gateway.fleet.partition import Partition
from gateway.fleet.sharing import (
    GPU,
    INVALID,
    labelled_slices,
    profile_of_key,
    shares_of_card,
    single_mig_profile,
)
from gateway.fleet.slurm import SlurmNode
from gateway.fleet.sums import above, total
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined

IDLE_UPGRADES = frozenset({None, "", "upgrade-done", "upgrade-failed"})
"""States in which no upgrade of the driver is in progress."""
_SLURM_ILLNESS = {"DOWN", "NOT_RESPONDING", "FAIL", "INVALID_REG", "ERROR", "FUTURE"}
_SLURM_UNTOLD = {"UNKNOWN", "INVALID"}
_SLURM_CLOSED = {"DRAIN", "MAINTENANCE", "POWERING_DOWN", "REBOOT_ISSUED", "REBOOT_REQUESTED"}
_LEAVING_TAINTS = {
    "node.kubernetes.io/out-of-service",
    "ToBeDeletedByClusterAutoscaler",
    "karpenter.sh/disrupted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDevices:
    """What a node's GPUs come to, before anything is said of their health."""

    cards: Cards
    gpu_type: GpuType | None
    partition: Partition
    resources: tuple[ExtendedResource, ...]
    slices: tuple[MigSlice, ...]
    beside: Beside = NOTHING_BESIDE
    crash: str | None = None
    """How what serves them crashes; None: it does not."""


def kubernetes_health(node: KubernetesNode, found: NodeDevices) -> NodeHealth:
    """Judge a node by what Kubernetes says: a cordon and a taint are not illness."""
    cards, remarks = found.cards.count, tuple(_remarks(node, found))
    stopped = tuple(_stopped(node, found))
    if stopped:
        return _judged(cards, 0, stopped + remarks)
    if isinstance(node.ready, Unknown):
        return _judged(cards, node.ready, remarks)
    lost = _lost(node, found)
    if isinstance(cards, Unknown) or isinstance(lost, Unknown):
        return _judged(cards, cards if isinstance(cards, Unknown) else lost, remarks)
    if not lost:
        return _judged(cards, cards, remarks)
    said = f"{lost} of {cards} cards are not allocatable"
    reason = HealthReason(code=HealthCode.CARDS_LOST, message=said)
    return _judged(cards, max(0, cards - lost), (reason, *remarks))


def slurm_health(node: SlurmNode, cards: int | Unknown) -> NodeHealth:
    """Judge a node by what Slurm says: a drain by a person is not illness."""
    ill = sorted(_SLURM_ILLNESS.intersection(node.states))
    if ill:
        said = f"Slurm says {'+'.join(ill)}" + (f": {node.reason}" if node.reason else "")
        return _judged(cards, 0, (HealthReason(code=HealthCode.SLURM_DOWN, message=said),))
    if untold := sorted(_SLURM_UNTOLD.intersection(node.states)):
        return _judged(cards, undetermined(System.SLURM, f"Slurm says {untold[0]} of the node's state"), ())
    return _judged(cards, cards, ())


def takes_work(node: KubernetesNode | SlurmNode) -> bool:
    """Whether its scheduler may place new work on it: not cordoned, drained or leaving."""
    if isinstance(node, SlurmNode):
        return _SLURM_CLOSED.isdisjoint(node.states)
    return not node.cordoned and _LEAVING_TAINTS.isdisjoint(taint.key for taint in node.taints)


def _stopped(node: KubernetesNode, found: NodeDevices) -> Iterator[HealthReason]:
    """Find what keeps every card from use."""
    labels = node.gpu_labels
    if node.ready is False:
        since = next((c.since for c in node.conditions if c.type == "Ready"), None)
        yield HealthReason(code=HealthCode.NOT_READY, message="the node is not Ready", since=since)
    if labels.mig_config_state in {MigConfigState.PENDING, MigConfigState.REBOOTING}:
        said = f"MIG layout {labels.mig_config} is being applied"
        yield HealthReason(code=HealthCode.MIG_CHANGE, message=said)
    if single_mig_profile(labels) == INVALID:
        said = "the MIG layout is not one that the single strategy allows"
        yield HealthReason(code=HealthCode.MIG_INVALID, message=said)
    if labels.driver_upgrade_state not in IDLE_UPGRADES:
        said = f"driver upgrade: {labels.driver_upgrade_state}"
        yield HealthReason(code=HealthCode.DRIVER_UPGRADE, message=said)
    if found.crash:
        yield HealthReason(code=HealthCode.DEVICE_PLUGIN_CRASHING, message=found.crash)
    if cards_of(found.beside.slices) is None:
        yield from _nothing_offered(found.cards.count, found.resources)


def _nothing_offered(cards: int | Unknown, resources: tuple[ExtendedResource, ...]) -> Iterator[HealthReason]:
    counts = [(resource.capacity, resource.allocatable) for resource in resources]
    if all(capacity in {None, 0} for capacity, _ in counts):
        had = (
            "GPUs are expected"
            if isinstance(cards, Unknown)
            else f"{cards} card{' is' if cards == 1 else 's are'} expected"
        )
        if cards != 0:
            yield HealthReason(code=HealthCode.NO_CAPACITY, message=f"{had}, and the node offers none")
    elif all(allocatable in {None, 0} for _, allocatable in counts):
        said = "the device plugin does not serve: nothing is allocatable"
        yield HealthReason(code=HealthCode.DEVICE_PLUGIN_MISSING, message=said)


def _remarks(node: KubernetesNode, found: NodeDevices) -> Iterator[HealthReason]:
    """Find what is worth telling and keeps no card from use."""
    if found.beside.labels_left:
        yield HealthReason(code=HealthCode.LABELS_STALE, message=LEFT_OVER)
    if found.cards.contradiction:
        yield HealthReason(code=HealthCode.LABELS_CONTRADICT, message=found.cards.contradiction)
    if node.gpu_labels.mig_config_state is MigConfigState.FAILED:
        said = f"MIG layout {node.gpu_labels.mig_config} failed: the one before, or a part of it, is served"
        yield HealthReason(code=HealthCode.MIG_FAILED, message=said)


def _lost(node: KubernetesNode, found: NodeDevices) -> int | Unknown:
    """Count the cards that the capacity or the labels expect and allocatable lacks."""
    return total(
        (
            ("whole cards", _lost_whole(node, found)),
            ("slices", _lost_to_slices(node, found)),
            ("claimed parts", lost_devices(found.beside)),
            ("partitions", amd_lost(node, found.resources)),
            ("cards", found.partition.idle),
        )
    )


def _lost_whole(node: KubernetesNode, found: NodeDevices) -> int | Unknown:
    if single_mig_profile(node.gpu_labels):
        return 0  # those keys count slices then
    if any(one.name == GPU and one.unit is None and one.capacity for one in found.resources):
        return undetermined(System.KUBERNETES, f"no label tells what {GPU} counts: cards, slices or shares")
    offered = [
        one
        for one in found.resources
        if one.unit in {GpuUnit.CARD, GpuUnit.SHARE} and not one.name.startswith(MIG_PREFIX)
    ]
    capacity = total((one.name, one.capacity) for one in offered)
    allocatable = total((one.name, one.allocatable) for one in offered)
    return _missing(capacity, allocatable, found.partition.whole, shares_of_card(node))


def _lost_to_slices(node: KubernetesNode, found: NodeDevices) -> int | Unknown:
    """Count the least cards that the missing slices are of."""
    missing: dict[MigProfile, int] = {}
    for group in found.slices:
        labelled = labelled_slices(node, group.resource_name)
        shares = 1 if group.unit is GpuUnit.SLICE else _shares_of_slice(node, group.resource_name)
        count = _missing(group.capacity or 0, group.allocatable or 0, labelled, shares)
        if isinstance(count, Unknown):
            return count
        missing[group.profile] = missing.get(group.profile, 0) + count
    return least_cards(missing, found.gpu_type)


def _shares_of_slice(node: KubernetesNode, resource: str) -> int | Unknown:
    profile = profile_of_key(resource)
    named = resource.startswith(MIG_PREFIX)
    replicas = node.gpu_labels.profile_replicas.get(profile) if named else node.gpu_labels.replicas
    if isinstance(replicas, int) and replicas > 0:
        return replicas
    told = replicas if isinstance(replicas, Unknown) else None
    return told or undetermined(
        System.KUBERNETES, f"no label tells how many shares a slice of {resource} gives"
    )


def _missing(
    capacity: int | Unknown, allocatable: int | Unknown, labelled: Maybe[int], shares: int | Unknown
) -> int | Unknown:
    """Count the cards or slices that are expected, by capacity or by label, and not allocatable."""
    expected = capacity
    if isinstance(labelled, int) and isinstance(shares, int):
        expected = max(capacity, labelled * shares) if isinstance(capacity, int) else labelled * shares
    missing = above(expected, allocatable) or 0
    if not missing or isinstance(missing, Unknown):
        return missing
    return shares if isinstance(shares, Unknown) else ceil(missing / shares)


def _judged(cards: int | Unknown, usable: int | Unknown, reasons: tuple[HealthReason, ...]) -> NodeHealth:
    healthy = usable if isinstance(usable, Unknown) else usable == cards and usable > 0
    if isinstance(cards, Unknown):
        reasons += (HealthReason(code=HealthCode.UNKNOWN_CARDS, message=cards.reason),)
    return NodeHealth(healthy=healthy, reasons=reasons, expected_cards=cards, usable_cards=usable)
