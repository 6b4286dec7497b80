"""What a queue crosses to."""

from collections import Counter

import strawberry

from gateway.errors import System
from gateway.fleet.fleet import Fleet
from gateway.fleet.queue import PodGroupCounts, Queue
from gateway.fleet.reclaim.missing import missing_from_deserved as missing
from gateway.fleet.reclaim.reclaim import Reclaim
from gateway.fleet.reclaim.reclaim import reclaim as judged
from gateway.fleet.unknown import Maybe
from resolvers.context import Info


def parent(queue: strawberry.Parent[Queue], info: Info) -> Maybe[Queue]:
    """The queue that this one is a part of."""
    return info.context.fleet.queue(queue.cluster, queue.parent_name) if queue.parent_name else None


def pod_groups(queue: strawberry.Parent[Queue], info: Info) -> Maybe[PodGroupCounts]:
    """How many of its pod groups are in which phase, counted over the groups themselves."""
    fleet = info.context.fleet
    if not _has_pod_groups(queue, fleet):
        return None
    silent = fleet.silence(System.QUEUES, queue.cluster, "podgroups")
    if silent:
        return silent
    groups = fleet.listings.pod_groups.group("queue", (queue.cluster, queue.name)).values()
    phases = Counter(group.phase.lower() for group in groups)
    return PodGroupCounts(
        pending=phases["pending"],
        inqueue=phases["inqueue"],
        running=phases["running"],
        unknown=phases["unknown"],
        completed=phases["completed"],
    )


def missing_from_deserved(queue: strawberry.Parent[Queue], info: Info) -> Maybe[tuple[str, ...]]:
    """What its work asks for or holds and its deserved does not list; cpu or memory of 0 is not listed."""
    fleet = info.context.fleet
    return missing(queue, fleet) if _has_pod_groups(queue, fleet) else None


def reclaim(queue: strawberry.Parent[Queue], info: Info) -> Maybe[Reclaim]:
    """What that means for the scheduler that runs, on the side that asks and on the side that holds."""
    fleet = info.context.fleet
    return judged(queue, fleet) if _has_pod_groups(queue, fleet) else None


def _has_pod_groups(queue: Queue, fleet: Fleet) -> bool:
    """Whether work can stand in a queue at all."""
    return fleet.has(System.QUEUES, queue.cluster, "podgroups")
