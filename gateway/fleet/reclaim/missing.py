"""What deserved does not list of what a queue's work asks for or holds."""

from decimal import Decimal

from gateway.fleet.fleet import Fleet
from gateway.fleet.queue import Queue
from gateway.fleet.reclaim.share import ALWAYS_HELD
from gateway.fleet.reclaim.work import is_counted, work_of
from gateway.fleet.unknown import Unknown


def missing_from_deserved(queue: Queue, fleet: Fleet) -> tuple[str, ...] | Unknown:
    """The resources, sorted; cpu and memory of 0 are missing, a key of guarantee is listed."""
    work = work_of(queue, fleet)
    if isinstance(work, Unknown):
        return work
    used = {resource for resource in work.resources if is_counted(resource)} | _held(queue, fleet)
    written = [*(queue.deserved or ()), *(queue.guarantee or ())]
    listed = {one.resource for one in written if one.value != 0 or one.resource not in ALWAYS_HELD}
    return tuple(sorted(used - listed))


def _held(queue: Queue, fleet: Fleet) -> set[str]:
    """What the queue says is allocated; the sums of a parent are its children's (from 1.11)."""
    if queue.name == "root" or fleet.listings.queues.group("parent", (queue.cluster, queue.name)):
        return set()
    return {
        one.resource for one in queue.allocated or () if one.value != Decimal(0) and is_counted(one.resource)
    }
