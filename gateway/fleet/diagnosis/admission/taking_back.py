"""Whether a pod that found no place may have others evicted for its queue's share, and what stops that."""

from collections.abc import Iterator

from gateway.fleet.alert import Evidence
from gateway.fleet.diagnosis.admission.judged import Judged, failed, warned
from gateway.fleet.diagnosis.admission.waiting import NONE, Amounts, Waiting, change
from gateway.fleet.quantity import write_decimal
from gateway.fleet.queue import Queue
from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.reclaim.blocks import Block, Side, blocks
from gateway.fleet.reclaim.rules import Rules, rules_of
from gateway.fleet.reclaim.share import Share, share_of
from gateway.fleet.unknown import Unknown

_Names = frozenset[str]


def cannot_take_back(waiting: Waiting) -> Judged | None:
    """What stops its queue from taking back its share; None: nothing does, or nothing is short."""
    short = frozenset(name for name in _short(waiting) if _is_held_elsewhere(name, waiting))
    rules = rules_of(waiting.fleet.scheduler(waiting.pod.cluster))
    share = share_of(waiting.queue, hierarchy=rules.hierarchy)
    if not waiting.is_let_in or not short or isinstance(share, Unknown):
        return None
    if rules.reclaims is False:
        said = f"what others hold of {_listed(short)} is not taken back: reclaim is not among the actions"
        return warned(f"{said} of the scheduler", waiting.told_of_group())
    return next(_stops(waiting, short, share, rules), None) if rules.reclaims else None


def _stops(waiting: Waiting, short: _Names, share: Share, rules: Rules) -> Iterator[Judged]:
    members = waiting.members
    if members.placed >= members.group.min_member:
        said = "its gang runs already, and then takes nothing back for more pods of it"
        yield warned(said, waiting.told_of_group())
    if not waiting.pod.preempts:
        yield warned("its preemptionPolicy is Never: nobody is evicted for it", waiting.told_of_group())
    yield from _blocked(waiting, short, Side.ASKER)
    if rules.readings and not any(one.asking.may_ask(share, _requests(waiting)) for one in rules.readings):
        yield _not_entitled(waiting, short, share)
    yield from _blocked(waiting, short, Side.HOLDER)


def _blocked(waiting: Waiting, short: _Names, side: Side) -> Iterator[Judged]:
    """What deserved leaves out: as asker of its own queue, as holders of all the others."""
    cluster, own = waiting.pod.cluster, waiting.queue.name
    for name, found in sorted(blocks(cluster, waiting.fleet).items()):
        queue = waiting.fleet.listings.queues.get((cluster, name))
        if queue and (name == own) is (side is Side.ASKER):
            asked = [one for one in found if one.side is side and one.is_asked_now]
            yield from (_incomplete(waiting, queue, one) for one in asked if _is_about(one, short))


def _is_about(block: Block, short: _Names) -> bool:
    return not short.isdisjoint((*block.resources, *block.missing))


def _incomplete(waiting: Waiting, queue: Queue, block: Block) -> Judged:
    what, lacks = ", ".join(block.resources), ", ".join(block.missing)
    if queue.name == waiting.queue.name:
        said = f"queue {queue.name} cannot take back its {what}: its deserved lacks {lacks}"
    else:
        said = f"{what} cannot be taken back from queue {queue.name}: its deserved lacks {lacks}"
    remedy = change(queue, f"list {lacks} in deserved of {queue.name}")
    return failed(
        PendingCode.MISCONFIGURED, said, (_deserved(waiting, queue), *waiting.told_of_group()), remedy
    )


def _not_entitled(waiting: Waiting, short: _Names, share: Share) -> Judged:
    queue, asked = waiting.queue, _requests(waiting)
    if not any(share.listed.values()):
        said = f"queue {queue.name} takes nothing back: it deserves nothing"
    else:
        held = [
            f"{write_decimal(share.holds(name))} of {write_decimal(share.listed.get(name, NONE))} {name}"
            for name in sorted(short)
        ]
        said = f"queue {queue.name} takes nothing back: it holds {', '.join(held)} that it deserves"
    wanted = [
        f"{name} to {write_decimal(share.holds(name) + asked.get(name, NONE))}" for name in sorted(short)
    ]
    remedy = change(queue, f"raise {', '.join(wanted)} in deserved of {queue.name}")
    return warned(said, (_deserved(waiting, queue),), remedy)


def _requests(waiting: Waiting) -> Amounts:
    return {name: amount for name, amount in waiting.pod.requests.items() if not isinstance(amount, Unknown)}


def _short(waiting: Waiting) -> _Names:
    """What its scheduler found too little of, for the pod itself or for its group."""
    conditions = (waiting.pod.turned_down, waiting.members.newest)
    said = [read_message(one.message) for one in conditions if one and one.message]
    lacking = {(part.code, part.resource) for reason in said for part in reason.parts}
    asked = waiting.pod.requests
    return frozenset(name for name in asked if (PendingCode.INSUFFICIENT_RESOURCE, name) in lacking)


def _is_held_elsewhere(resource: str, waiting: Waiting) -> bool:
    """Whether another queue that takes work in holds some of it."""
    group = waiting.fleet.listings.queues.group
    cluster, own = waiting.pod.cluster, waiting.queue.name
    others = (one for (_, name), one in group("cluster", cluster).items() if name not in {own, "root"})
    leaves = (one for one in others if not group("parent", (cluster, one.name)))
    held = (amount for one in leaves for amount in one.allocated or () if amount.resource == resource)
    return any(amount.value != 0 for amount in held)


def _deserved(waiting: Waiting, queue: Queue) -> Evidence:
    written = ", ".join(f"{one.resource} {one.text}" for one in queue.deserved or ())
    return waiting.told(f"queues/{queue.name} spec.deserved", written or None)


def _listed(names: _Names) -> str:
    return ", ".join(sorted(names))
