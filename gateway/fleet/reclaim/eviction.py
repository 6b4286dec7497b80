"""Whether the scheduler would take one pod for another: the prediction itself."""

from gateway.fleet.reclaim.reading import Reading
from gateway.fleet.reclaim.share import Share
from gateway.fleet.reclaim.work import Task


def may_be_taken(
    victim: tuple[Share, Task], asker: tuple[Share, Task], reading: Reading, *, gang_decides: bool
) -> bool:
    """Whether a running pod of one queue may be evicted for a waiting pod of another, as things stand.

    Whether what may be taken on one node is enough is not judged: that is placement.
    """
    (holder, held), (queue, ask) = victim, asker
    if holder.queue == queue.queue or not holder.reclaimable or not held.evictable:
        return False
    if not reading.asking.may_ask(queue, ask.requests):
        return False
    if gang_decides and held.spare:
        return True
    kept = holder.keeps_guarantee_without(held.requests)
    return kept and reading.giving.gives(holder, held.requests, ask.requests)
