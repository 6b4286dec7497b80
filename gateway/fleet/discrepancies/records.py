"""Records of machines against the machines: gone, never written down, or counted in the wrong unit."""

from collections.abc import Iterator

from gateway.errors import System
from gateway.fleet.alert import AlertKind, Evidence, Finding, Remedy, RemedyAction
from gateway.fleet.discrepancies.evidence import (
    about,
    counted,
    kubernetes,
    machines,
    platform,
    record_path,
    slurm,
)
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import ExtendedResource, NodeGpus
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.platform import NodeRecord
from gateway.fleet.slurm import SlurmNode
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown

_CUT = {GpuUnit.SLICE, GpuUnit.SHARE}


def orphaned_records(fleet: Fleet) -> Iterator[Finding]:
    """The record stayed and the machine left."""
    for node in machines(fleet):
        record = node.record
        if isinstance(record, NodeRecord) and node.kubernetes is None and node.slurm is None:
            yield about(
                node,
                AlertKind.ORPHANED_RECORD,
                _orphaned(node, record),
                (
                    platform(fleet, record_path(node), _claim(record)),
                    *_nowhere(node, fleet),
                ),
                (
                    Remedy(
                        action=RemedyAction.OTHER,
                        text="release the record, or bring the machine back under its name",
                        subject=node.id,
                    ),
                ),
            )


def _orphaned(node: Node, record: NodeRecord) -> str:
    cards = "GPUs" if record.claimed_cards is None else counted(record.claimed_cards, "card")
    holder = f" for {record.tenant_name}" if record.tenant_name else ""
    return f"{node.name} is on record{holder} with {cards}, and no system knows such a machine"


def _claim(record: NodeRecord) -> str:
    cards = "" if record.claimed_cards is None else f"{counted(record.claimed_cards, 'card')}, "
    return f"{cards}target {record.target.value if record.target else 'none'}"


def _nowhere(node: Node, fleet: Fleet) -> Iterator[Evidence]:
    yield kubernetes(fleet, node.cluster, f"nodes/{node.name}", None)
    for place, home in fleet.slurms.items():
        if home == node.cluster:
            yield slurm(fleet, place, f"nodes/{node.name}", None)


def unmanaged_nodes(fleet: Fleet) -> Iterator[Finding]:
    """A machine offers GPUs, and no record says whose they are."""
    if isinstance(fleet.platform, Unknown) or not fleet.has(System.PLATFORM, "", "records"):
        return
    for node in machines(fleet):
        if node.record is None:
            yield about(
                node,
                AlertKind.UNMANAGED_NODE,
                f"{node.name} has {_cards(node)} and no record: nobody may plan with them",
                (platform(fleet, record_path(node), None), *_machine(node, fleet)),
                (
                    Remedy(
                        action=RemedyAction.OTHER,
                        text="write down its target and its tenant",
                        subject=node.id,
                    ),
                ),
            )


def _cards(node: Node) -> str:
    cards = node.gpus.cards if isinstance(node.gpus, NodeGpus) else None
    return counted(cards, "card") if isinstance(cards, int) else "GPUs"


def _machine(node: Node, fleet: Fleet) -> Iterator[Evidence]:
    if isinstance(node.kubernetes, KubernetesNode):
        for one in node.kubernetes.resources:
            said = one.capacity.text if one.capacity and not isinstance(one.capacity, Unknown) else None
            yield kubernetes(fleet, node.cluster, f"nodes/{node.name} status.capacity[{one.name}]", said)
    if isinstance(node.slurm, SlurmNode):
        yield slurm(fleet, node.slurm.slurm_cluster, f"nodes/{node.name}", "+".join(node.slurm.states))


def slices_counted_as_cards(fleet: Fleet) -> Iterator[Finding]:
    """A record claims as many cards as the machine has slices or shares."""
    for node in machines(fleet):
        record, gpus = node.record, node.gpus
        if not isinstance(record, NodeRecord) or not isinstance(gpus, NodeGpus) or not record.claimed_cards:
            continue
        devices = _devices(gpus)
        if (
            devices is not None
            and devices[0] == record.claimed_cards
            and _must_differ(node, gpus, devices[0])
        ):
            yield _miscounted(node, record.claimed_cards, devices[1], fleet)


def _devices(gpus: NodeGpus) -> tuple[int, GpuUnit] | None:
    """How many devices a naive count finds where some are no cards, and what they are."""
    offered = (
        [one for one in gpus.resources or () if _is_countable(one)]
        if isinstance(gpus.resources, tuple)
        else []
    )
    cut = [one for one in offered if one.unit in _CUT]
    if not cut or cut[0].unit is None:
        return None
    return sum(one.capacity for one in offered if isinstance(one.capacity, int)), cut[0].unit


def _is_countable(resource: ExtendedResource) -> bool:
    return (
        resource.unit in {*_CUT, GpuUnit.CARD}
        and isinstance(resource.capacity, int)
        and resource.capacity > 0
    )


def _must_differ(node: Node, gpus: NodeGpus, devices: int) -> bool:
    """Whether so many devices cannot be so many cards."""
    if isinstance(gpus.cards, int):
        return gpus.cards != devices
    groups = node.mig_slices if isinstance(node.mig_slices, tuple) else ()
    return any(group.profile.max_per_card != 1 for group in groups)


def _miscounted(node: Node, claimed: int, unit: GpuUnit, fleet: Fleet) -> Finding:
    gpus = node.gpus if isinstance(node.gpus, NodeGpus) else None
    cards = gpus.cards if gpus else None
    truth = f"has {counted(cards, 'card')}" if isinstance(cards, int) else "has fewer cards than that"
    thing = "shares" if unit is GpuUnit.SHARE else "slices"
    resources = gpus.resources if gpus and isinstance(gpus.resources, tuple) else ()
    return about(
        node,
        AlertKind.SLICES_COUNTED_AS_CARDS,
        f"{node.name} is on record with {counted(claimed, 'card')}: those are {thing}, and it {truth}",
        (
            platform(fleet, record_path(node, "claimed_cards"), claimed),
            *(
                kubernetes(
                    fleet, node.cluster, f"nodes/{node.name} status.capacity[{one.name}]", one.capacity
                )
                for one in resources
                if _is_countable(one)
            ),
            *_label(node, fleet, "nvidia.com/gpu.count"),
            *_label(node, fleet, "nvidia.com/gpu.product"),
        ),
        (
            Remedy(
                action=RemedyAction.OTHER,
                text=f"write down {cards} cards"
                if isinstance(cards, int)
                else "write down the number of cards",
                subject=node.id,
            ),
        ),
    )


def _label(node: Node, fleet: Fleet, key: str) -> Iterator[Evidence]:
    if isinstance(node.kubernetes, KubernetesNode):
        path = f"nodes/{node.name} metadata.labels[{key}]"
        yield kubernetes(fleet, node.cluster, path, node.kubernetes.labels.get(key))
