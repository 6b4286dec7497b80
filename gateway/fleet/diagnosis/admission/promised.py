"""What was let into a queue and is not placed yet: it counts as held at the gate (Volcano to 1.16)."""

from collections.abc import Iterator
from decimal import Decimal

from gateway.fleet.diagnosis.admission.waiting import NONE, amounts_of, asked_by
from gateway.fleet.fleet import Fleet
from gateway.fleet.queue import PodGroup, Queue
from gateway.fleet.unknown import Unknown

_LET_IN = "Inqueue"


def promised(queue: Queue, fleet: Fleet, resource: str) -> Decimal | Unknown:
    """What a queue and those below it promised, less what groups there hold beyond their least."""
    found = NONE
    for group in _groups(queue, fleet, frozenset()):
        least = amounts_of(group.min_resources)
        held = asked_by(pod for pod in fleet.pods_of_group(group) if pod.node_name and not pod.terminating)
        if isinstance(least, Unknown):
            return least
        if isinstance(held, Unknown):
            return held
        amount = least.get(resource, NONE)
        found += (amount if group.phase == _LET_IN else NONE) - max(held.get(resource, NONE) - amount, NONE)
    return found


def let_in(cluster: str, fleet: Fleet, resource: str) -> list[tuple[PodGroup, Decimal]] | Unknown:
    """The groups of a cluster that were let in and are not placed, and the least that they ask for."""
    found: list[tuple[PodGroup, Decimal]] = []
    for group in fleet.pod_groups(cluster):
        least = amounts_of(group.min_resources) if group.phase == _LET_IN else {}
        if isinstance(least, Unknown):
            return least
        if least.get(resource):
            found.append((group, least[resource]))
    return found


def _groups(queue: Queue, fleet: Fleet, above: frozenset[str]) -> Iterator[PodGroup]:
    yield from fleet.groups_of_queue(queue)
    seen = above | {queue.name}
    children = fleet.listings.queues.group("parent", (queue.cluster, queue.name))
    for child in children.values():
        if child.name not in seen:
            yield from _groups(child, fleet, seen)
