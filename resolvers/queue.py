"""What a queue crosses to."""

from collections import Counter

import strawberry

from gateway.errors import System
from gateway.fleet.queue import PodGroupCounts, Queue
from gateway.fleet.unknown import Maybe
from resolvers.context import Info


def parent(queue: strawberry.Parent[Queue], info: Info) -> Maybe[Queue]:
    """The queue that this one is a part of."""
    return info.context.fleet.queue(queue.cluster, queue.parent_name) if queue.parent_name else None


def pod_groups(queue: strawberry.Parent[Queue], info: Info) -> Maybe[PodGroupCounts]:
    """How many of its pod groups are in which phase, counted over the groups themselves."""
    fleet = info.context.fleet
    if not fleet.has(System.QUEUES, queue.cluster, "podgroups"):
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
