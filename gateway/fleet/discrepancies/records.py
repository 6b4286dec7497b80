"""Records of machines against the machines: those that are gone, and those that were never written down."""

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
from gateway.fleet.gpu import NodeGpus
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.platform import NodeRecord
from gateway.fleet.slurm import SlurmNode
from gateway.fleet.unknown import Unknown


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
                        text=_way_out(record),
                        subject=node.id,
                    ),
                ),
            )


def _way_out(record: NodeRecord) -> str:
    back = "or bring the machine back under its name"
    if record.target or record.tenant_name:
        return f"release the record, {back}"
    return f"import with --prune a file that does not name it, {back}"


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
