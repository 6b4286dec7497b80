"""Records that count slices or shares as cards."""

from collections.abc import Iterator
from dataclasses import dataclass

from gateway.fleet.alert import AlertKind, Evidence, Finding, Remedy, RemedyAction
from gateway.fleet.discrepancies.evidence import about, counted, kubernetes, machines, platform, record_path
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import ExtendedResource, NodeGpus
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.platform import NodeRecord
from gateway.fleet.unit import GpuUnit

_NAMES = {GpuUnit.CARD: "cards", GpuUnit.SLICE: "slices", GpuUnit.SHARE: "shares"}
_LABELS = ("nvidia.com/gpu.count", "nvidia.com/gpu.product")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Machine:
    """A machine of which some devices are no cards."""

    node: Node
    part: KubernetesNode
    cards: int | None
    devices: dict[str, int]
    """What a naive count finds, by resource."""
    unit: GpuUnit
    """What those are that are no cards."""


def slices_counted_as_cards(fleet: Fleet) -> Iterator[Finding]:
    """A record claims as many cards as the machine has slices or shares."""
    for node in machines(fleet):
        claimed = node.record.claimed_cards if isinstance(node.record, NodeRecord) else None
        machine = _cut(node) if claimed else None
        if claimed and machine and _is_miscounted(machine, claimed):
            yield _finding(machine, claimed, fleet)


def _cut(node: Node) -> _Machine | None:
    gpus, part = node.gpus, node.kubernetes
    if not isinstance(gpus, NodeGpus) or not isinstance(part, KubernetesNode):
        return None
    resources = gpus.resources if isinstance(gpus.resources, tuple) else ()
    devices = {one.name: count for one in resources if (count := _count(one))}
    units = [one.unit for one in resources if one.name in devices and one.unit is not GpuUnit.CARD]
    if not units or units[0] is None:
        return None
    cards = gpus.cards if isinstance(gpus.cards, int) else None
    return _Machine(node=node, part=part, cards=cards, devices=devices, unit=units[0])


def _count(resource: ExtendedResource) -> int:
    """The devices of a resource, where it counts any."""
    return resource.capacity if resource.unit in _NAMES and isinstance(resource.capacity, int) else 0


def _is_miscounted(machine: _Machine, claimed: int) -> bool:
    """Whether a record counts the devices, and so many cannot be so many cards."""
    if claimed != sum(machine.devices.values()):
        return False
    if machine.cards is not None:
        return machine.cards != claimed
    groups = machine.node.mig_slices
    return isinstance(groups, tuple) and any(group.profile.max_per_card != 1 for group in groups)


def _finding(machine: _Machine, claimed: int, fleet: Fleet) -> Finding:
    node, cards = machine.node, machine.cards
    truth = "has fewer cards than that" if cards is None else f"has {counted(cards, 'card')}"
    said = (
        f"{node.name} is on record with {counted(claimed, 'card')}: "
        f"those are {_NAMES[machine.unit]}, and it {truth}"
    )
    text = f"write down {'the number of cards' if cards is None else counted(cards, 'card')}"
    claim = platform(fleet, record_path(node, "claimed_cards"), claimed)
    remedy = Remedy(action=RemedyAction.OTHER, text=text, subject=node.id)
    evidence = (claim, *_evidence(machine, fleet))
    return about(node, AlertKind.SLICES_COUNTED_AS_CARDS, said, evidence, [remedy])


def _evidence(machine: _Machine, fleet: Fleet) -> Iterator[Evidence]:
    cluster, at = machine.node.cluster, f"nodes/{machine.node.name}"
    for name, count in machine.devices.items():
        yield kubernetes(fleet, cluster, f"{at} status.capacity[{name}]", count)
    for key in _LABELS:
        yield kubernetes(fleet, cluster, f"{at} metadata.labels[{key}]", machine.part.labels.get(key))
