"""Whether a node's cards are usable, and why not."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from gateway.errors import System
from gateway.fleet.gpu import ExtendedResource, MigConfigState
from gateway.fleet.mig import MigProfile, MigSlice
from gateway.fleet.node import HealthCode, HealthReason, KubernetesNode, NodeHealth
from gateway.fleet.partition import Partition, least_cards
from gateway.fleet.slurm import SlurmNode
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown, undetermined

_IDLE_UPGRADES = {None, "", "upgrade-done", "upgrade-failed"}
_SLURM_ILLNESS = {"DOWN", "NOT_RESPONDING", "FAIL", "INVALID_REG", "ERROR", "UNKNOWN", "INVALID", "FUTURE"}
_SLURM_CLOSED = {"DRAIN", "MAINTENANCE", "POWERED_DOWN", "POWERING_DOWN", "REBOOT_ISSUED", "REBOOT_REQUESTED"}
_LEAVING_TAINTS = {
    "node.kubernetes.io/out-of-service",
    "ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDevices:
    """What a node's GPUs come to, before anything is said of their health."""

    cards: int | Unknown
    partition: Partition
    resources: tuple[ExtendedResource, ...]
    slices: tuple[MigSlice, ...]


def kubernetes_health(node: KubernetesNode, found: NodeDevices) -> NodeHealth:
    """Judge a node by what Kubernetes says: a cordon and a taint are not illness."""
    cards = found.cards
    stopped = tuple(_stopped(node, found))
    if stopped:
        return _judged(cards, 0, stopped)
    if isinstance(node.ready, Unknown):
        return _judged(cards, node.ready, ())
    lost = _lost(node, found)
    if isinstance(cards, Unknown) or isinstance(lost, Unknown):
        return _judged(cards, cards if isinstance(cards, Unknown) else lost, ())
    if not lost:
        return _judged(cards, cards, ())
    said = f"{lost} of {cards} cards are not allocatable"
    return _judged(cards, max(0, cards - lost), (HealthReason(code=HealthCode.CARDS_LOST, message=said),))


def slurm_health(node: SlurmNode, cards: int | Unknown) -> NodeHealth:
    """Judge a node by what Slurm says: a drain by a person is not illness."""
    ill = sorted(_SLURM_ILLNESS.intersection(node.states))
    if not ill:
        return _judged(cards, cards, ())
    said = f"Slurm says {'+'.join(ill)}" + (f": {node.reason}" if node.reason else "")
    return _judged(cards, 0, (HealthReason(code=HealthCode.SLURM_DOWN, message=said),))


def takes_work(node: KubernetesNode | SlurmNode) -> bool:
    """Whether its scheduler may place new work on it: not cordoned, drained or leaving."""
    if isinstance(node, SlurmNode):
        return _SLURM_CLOSED.isdisjoint(node.states)
    return not node.cordoned and _LEAVING_TAINTS.isdisjoint(taint.key for taint in node.taints)


def _stopped(node: KubernetesNode, found: NodeDevices) -> Iterator[HealthReason]:
    labels = node.gpu_labels
    if node.ready is False:
        since = next((c.since for c in node.conditions if c.type == "Ready"), None)
        yield HealthReason(code=HealthCode.NOT_READY, message="the node is not Ready", since=since)
    if labels.mig_config_state in {MigConfigState.PENDING, MigConfigState.REBOOTING}:
        yield HealthReason(
            code=HealthCode.MIG_CHANGE, message=f"MIG layout {labels.mig_config} is being applied"
        )
    if (labels.product or "").endswith("-MIG-INVALID"):
        said = "the MIG layout is not one that the single strategy allows"
        yield HealthReason(code=HealthCode.MIG_INVALID, message=said)
    if labels.driver_upgrade_state not in _IDLE_UPGRADES:
        said = f"driver upgrade: {labels.driver_upgrade_state}"
        yield HealthReason(code=HealthCode.DRIVER_UPGRADE, message=said)
    yield from _nothing_offered(found.cards, found.resources)


def _nothing_offered(cards: int | Unknown, resources: tuple[ExtendedResource, ...]) -> Iterator[HealthReason]:
    counts = [(resource.capacity, resource.allocatable) for resource in resources]
    if all(capacity in {None, 0} for capacity, _ in counts):
        had = "GPUs are expected" if isinstance(cards, Unknown) else f"{cards} cards are expected"
        if cards != 0:
            yield HealthReason(code=HealthCode.NO_CAPACITY, message=f"{had}, and the node offers none")
    elif all(allocatable in {None, 0} for _, allocatable in counts):
        said = "the device plugin does not serve: nothing is allocatable"
        yield HealthReason(code=HealthCode.DEVICE_PLUGIN_MISSING, message=said)


def _lost(node: KubernetesNode, found: NodeDevices) -> int | Unknown:
    """Count the cards that are expected and not allocatable."""
    lost = 0
    for resource in found.resources:
        missing = _missing(resource, found.partition.whole)
        if isinstance(missing, Unknown):
            return missing
        if resource.unit is GpuUnit.CARD:
            lost += missing
        elif resource.unit is GpuUnit.SHARE and missing:
            replicas = node.gpu_labels.replicas
            if not isinstance(replicas, int) or replicas < 1:
                said = f"{missing} shares of {resource.name} are lost, and how many a card has is not known"
                return undetermined(System.KUBERNETES, said)
            lost += ceil(missing / replicas)
    cut = least_cards(_missing_slices(found.slices))
    return cut if isinstance(cut, Unknown) else lost + cut


def _missing(resource: ExtendedResource, whole_cards: int | Unknown) -> int | Unknown:
    capacity, allocatable = resource.capacity, resource.allocatable
    if isinstance(capacity, Unknown):
        return capacity
    if isinstance(allocatable, Unknown):
        return allocatable
    expected = capacity or 0
    if resource.unit is GpuUnit.CARD and isinstance(whole_cards, int):
        expected = max(expected, whole_cards)
    return max(0, expected - (allocatable or 0))


def _missing_slices(slices: tuple[MigSlice, ...]) -> dict[MigProfile, int]:
    missing = {}
    for group in slices:
        if isinstance(group.capacity, int) and isinstance(group.allocatable, int):
            short = group.capacity - group.allocatable
            if short > 0 and group.unit is GpuUnit.SLICE:
                missing[group.profile] = short
    return missing


def _judged(cards: int | Unknown, usable: int | Unknown, reasons: tuple[HealthReason, ...]) -> NodeHealth:
    healthy = usable if isinstance(usable, Unknown) else usable == cards and usable > 0
    if isinstance(cards, Unknown):
        reasons += (HealthReason(code=HealthCode.UNKNOWN_CARDS, message=cards.reason),)
    return NodeHealth(healthy=healthy, reasons=reasons, expected_cards=cards, usable_cards=usable)
