"""What systems say, as evidence with the time when they were heard; and machines as subjects."""

from collections.abc import Iterable, Iterator

from gateway.errors import System
from gateway.fleet.alert import AlertKind, Evidence, Finding, Remedy, Severity
from gateway.fleet.fleet import Fleet
from gateway.fleet.node import Node
from gateway.fleet.platform import NodeRecord
from gateway.fleet.queue import Queue
from gateway.fleet.source import SourceKey, source_name


def kubernetes(fleet: Fleet, cluster: str, path: str, value: object, kind: str = "nodes") -> Evidence:
    """What a cluster's Kubernetes says."""
    return _told(fleet, SourceKey(System.KUBERNETES, cluster, kind), path, value)


def platform(fleet: Fleet, path: str, value: object) -> Evidence:
    """What the platform's records say."""
    return _told(fleet, SourceKey(System.PLATFORM, "", "records"), path, value)


def queues(fleet: Fleet, cluster: str, path: str, value: object, kind: str = "queues") -> Evidence:
    """What a cluster's queues say."""
    return _told(fleet, SourceKey(System.QUEUES, cluster, kind), path, value)


def slurm(fleet: Fleet, place: str, path: str, value: object, kind: str = "nodes") -> Evidence:
    """What a Slurm says."""
    return _told(fleet, SourceKey(System.SLURM, place, kind), path, value)


def _told(fleet: Fleet, key: SourceKey, path: str, value: object) -> Evidence:
    name = source_name(key)
    heard = next((one.last_success_at for one in fleet.sources if one.name == name), None)
    return Evidence(
        system=key.system, path=path, value=None if value is None else str(value), observed_at=heard
    )


def about(
    node: Node,
    kind: AlertKind,
    message: str,
    evidence: tuple[Evidence, ...],
    remedies: Iterable[Remedy],
) -> Finding:
    """A finding about a machine; the first piece of evidence is the claim."""
    return Finding(
        kind=kind,
        severity=SEVERITIES.get(kind, Severity.WARNING),
        subject=node.id,
        subject_name=node.name,
        cluster=node.cluster,
        tenant=holder(node),
        message=message,
        claim=evidence[0],
        evidence=evidence[1:],
        remedies=tuple(remedies),
    )


SEVERITIES = {
    AlertKind.READY_WITHOUT_CAPACITY: Severity.CRITICAL,
    AlertKind.UNMANAGED_NODE: Severity.INFO,
}
"""Of findings about machines that are no warnings."""


def holder(node: Node) -> str | None:
    """The tenant that holds a machine, by name."""
    return node.record.tenant_name if isinstance(node.record, NodeRecord) else None


def owner(queue: Queue, fleet: Fleet) -> str | None:
    """The tenant whose workspace a queue is, by name."""
    spaces = fleet.listings.platform.workspaces.values()
    at = (queue.cluster, queue.name)
    return next((one.tenant_name for one in spaces if (one.cluster_name, one.queue_name) == at), None)


def machines(fleet: Fleet) -> Iterator[Node]:
    """The machines with GPUs of the clusters that are read."""
    for cluster in fleet.clusters:
        yield from (
            node for node in fleet.listings.nodes.group("cluster", cluster).values() if node.is_gpu_node
        )


def record_path(node: Node, column: str = "") -> str:
    """Where the record of a machine stands."""
    row = f"node_record[{node.cluster}/{node.name}]"
    return f"{row}.{column}" if column else row


def counted(number: int, thing: str) -> str:
    """A number with its noun: 1 card, 2 cards."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
