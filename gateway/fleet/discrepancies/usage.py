"""What queues say is in use, against what there is and what their pods hold."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta

from gateway.errors import System
from gateway.fleet.alert import AlertKind, Finding, Remedy, RemedyAction, Severity
from gateway.fleet.discrepancies.evidence import counted, kubernetes, owner, queues
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import NodeGpus, is_gpu_resource
from gateway.fleet.node import Node
from gateway.fleet.pod import Pod
from gateway.fleet.quantity import MOST_ON_A_NODE, Quantity, whole_number
from gateway.fleet.queue import Queue
from gateway.fleet.requests import unit_of
from gateway.fleet.terms import node_cards
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown

_MOVES_FOR = timedelta(minutes=2)
"""How long after a pod came its queue may not count it yet, or one of the two was read before the other."""
_LASTS = timedelta(seconds=30)
_AMOUNTS = {GpuUnit.CORE, GpuUnit.MEMORY}


def implausible_usage(fleet: Fleet) -> Iterator[Finding]:
    """A queue says of a GPU resource more than its cluster can have, or what is no count."""
    for cluster in fleet.clusters:
        nodes = fleet.nodes(cluster)
        told = list(_told(fleet, cluster))
        if isinstance(nodes, Unknown) or not told:
            continue
        most = most_devices(nodes.values())
        for queue, amount in told:
            if not _is_plausible(amount, most):
                yield _implausible(queue, amount, most[amount.resource], fleet)


def _told(fleet: Fleet, cluster: str) -> Iterator[tuple[Queue, Quantity]]:
    """What each queue says of each GPU resource that is counted in devices."""
    found = fleet.queues(cluster)
    if found is None or isinstance(found, Unknown):
        return
    for queue in found.values():
        for amount in queue.allocated or ():
            if is_gpu_resource(amount.resource) and unit_of(amount.resource) not in _AMOUNTS:
                yield queue, amount


def most_devices(nodes: Iterable[Node]) -> Mapping[str, int]:
    """The most devices of each resource that work can hold; a machine that nobody can count may have many."""
    most: Counter[str] = Counter()
    for node in nodes:
        if not isinstance(node.gpus, NodeGpus) or not isinstance(node.gpus.resources, tuple):
            continue
        cards = node_cards(node)
        for one in node.gpus.resources:
            known = max((count for count in (cards, one.capacity) if isinstance(count, int)), default=0)
            unknown = isinstance(cards, Unknown) or isinstance(one.capacity, Unknown)
            most[one.name] += MOST_ON_A_NODE if unknown else known
    return most


def _is_plausible(amount: Quantity, most: Mapping[str, int]) -> bool:
    if isinstance(amount.value, Unknown):
        return True  # what cannot be read at all is a skipped item
    count = whole_number(amount, System.QUEUES)
    return isinstance(count, int) and count <= most[amount.resource]


def _implausible(queue: Queue, amount: Quantity, most: int, fleet: Fleet) -> Finding:
    path = f"queues/{queue.name} status.allocated[{amount.resource}]"
    said = (
        f"queue {queue.name} has {amount.text!r} of {amount.resource} allocated: no more than {most:,} can be"
    )
    remedy = "ask who writes this queue's status; until then its usage is unknown"
    return Finding(
        kind=AlertKind.IMPLAUSIBLE_COUNT,
        severity=Severity.WARNING,
        subject=queue.id,
        subject_name=queue.name,
        cluster=queue.cluster,
        tenant=owner(queue, fleet),
        message=said,
        claim=queues(fleet, queue.cluster, path, amount.text),
        evidence=(kubernetes(fleet, queue.cluster, f"most of {amount.resource} on its machines", most),),
        remedies=(Remedy(action=RemedyAction.CHANGE_QUEUE, text=remedy, subject=queue.id),),
        detail=amount.resource,
        lasts=_LASTS,
    )


def usage_drift(fleet: Fleet) -> Iterator[Finding]:
    """A queue counts other GPUs in use than the pods hold that the scheduler counts in it."""
    for cluster in fleet.clusters:
        nodes = fleet.nodes(cluster)
        if isinstance(nodes, Unknown) or _is_silent(fleet, cluster):
            continue
        most = most_devices(nodes.values())
        told: defaultdict[str, list[tuple[Queue, Quantity]]] = defaultdict(list)
        for queue, amount in _told(fleet, cluster):
            told[queue.name].append((queue, amount))
        for amounts in told.values():
            if not _has_children(amounts[0][0], fleet):
                plausible = [one for one in amounts if _is_plausible(one[1], most)]
                yield from _drifts(plausible, fleet)


def _is_silent(fleet: Fleet, cluster: str) -> bool:
    pods = fleet.silence(System.KUBERNETES, cluster, "pods")
    return bool(pods or fleet.silence(System.QUEUES, cluster, "podgroups"))


def _has_children(queue: Queue, fleet: Fleet) -> bool:
    """Whether its sums are its children's too."""
    return queue.name == "root" or bool(fleet.listings.queues.group("parent", (queue.cluster, queue.name)))


def _drifts(told: list[tuple[Queue, Quantity]], fleet: Fleet) -> Iterator[Finding]:
    """Where the amounts of one queue are not what its pods hold, beyond what moves."""
    if not told:
        return
    pods = [
        pod
        for group in fleet.groups_of_queue(told[0][0])
        for pod in fleet.pods_of_group(group)
        if pod.node_name and pod.gpus
    ]
    held = _held(pod for pod in pods if not pod.terminating)
    for queue, amount in told:
        count, by_pods = whole_number(amount, System.QUEUES), held[amount.resource]
        if isinstance(count, int) and count != by_pods:
            moving = _held(pod for pod in pods if pod.terminating or _is_new(pod, fleet))
            if abs(count - by_pods) > moving[amount.resource]:
                yield _drifted(queue, amount, (by_pods, len(pods)), fleet)


def _held(pods: Iterable[Pod]) -> Counter[str]:
    """What pods hold, by resource."""
    held: Counter[str] = Counter()
    for pod in pods:
        for claim in pod.gpus:
            if isinstance(claim.count, int):
                held[claim.resource] += claim.count
    return held


def _is_new(pod: Pod, fleet: Fleet) -> bool:
    """Whether one side may have counted it before the other."""
    began = (pod.created_at, pod.started_at)
    return any(not isinstance(at, Unknown) and at is not None and fleet.now - at < _MOVES_FOR for at in began)


def _drifted(queue: Queue, amount: Quantity, held: tuple[int, int], fleet: Fleet) -> Finding:
    devices, pods = held
    said = (
        f"queue {queue.name} counts {amount.text} {amount.resource} in use; "
        f"its {counted(pods, 'pod')} hold {devices}"
    )
    remedy = "restart the scheduler if this stays: it counts what is gone, or misses what is there"
    return Finding(
        kind=AlertKind.USAGE_DRIFT,
        severity=Severity.WARNING,
        subject=queue.id,
        subject_name=queue.name,
        cluster=queue.cluster,
        tenant=owner(queue, fleet),
        message=said,
        claim=queues(
            fleet, queue.cluster, f"queues/{queue.name} status.allocated[{amount.resource}]", amount.text
        ),
        evidence=(
            kubernetes(
                fleet, queue.cluster, f"{amount.resource} of bound pods of its groups", devices, "pods"
            ),
        ),
        remedies=(Remedy(action=RemedyAction.CHANGE_QUEUE, text=remedy, subject=queue.id),),
        detail=amount.resource,
        lasts=_LASTS,
    )
