"""How much a queue may hold: its capability, its parents', and what others' guarantees leave of the total.

A resource that the capability does not name is not limited by it (Volcano to 1.16).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from immutables import Map

from gateway.fleet.alert import Evidence, Remedy, RemedyAction
from gateway.fleet.diagnosis.admission.judged import Judged, failed, merged, untold
from gateway.fleet.diagnosis.admission.promised import promised
from gateway.fleet.diagnosis.admission.totals import total
from gateway.fleet.diagnosis.admission.waiting import NONE, Waiting, amounts_of, change
from gateway.fleet.quantity import write_decimal
from gateway.fleet.queue import Queue
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.unknown import Unknown

_ROOT = "root"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The most of a resource that a queue may hold."""

    queue: Queue
    resource: str
    most: Decimal
    said: str
    """Why it is so, in words."""
    remedy: str
    evidence: tuple[Evidence, ...]


def over_ceiling(waiting: Waiting) -> Judged | None:
    """Whether what is asked for is more than a queue above it may still hold."""
    config, asked = waiting.config, waiting.asked
    if config is not None and config.share_plugin is None:
        return None
    if isinstance(asked, Unknown):
        return untold(asked)
    found = [_judged(one, asked.get(one.resource, NONE), waiting) for one in _ceilings(waiting)]
    over = [one for one in found if one is not None]
    return merged(over) if over else None


def _judged(ceiling: Ceiling, asked: Decimal, waiting: Waiting) -> Judged | None:
    queue, resource, held = ceiling.queue, ceiling.resource, _held(ceiling, waiting)
    if isinstance(held, Unknown):
        return untold(held, *ceiling.evidence)
    over = held + asked - ceiling.most
    if not asked or over <= 0:
        return None
    words = "are held" if waiting.is_let_in else "are held or promised"
    text = next((one.text for one in queue.allocated or () if one.resource == resource), None)
    allocated = waiting.told(f"queues/{queue.name} status.allocated[{resource}]", text)
    free = Remedy(
        action=RemedyAction.FREE_WORKLOADS,
        text=f"end work of queue {queue.name} that holds {write_decimal(over)} {resource}",
        subject=queue.id,
    )
    return failed(
        PendingCode.QUEUE_FULL,
        f"{ceiling.said}: {write_decimal(held)} {words}, {write_decimal(asked)} more are asked for",
        (*ceiling.evidence, allocated, *waiting.told_of_group()),
        change(queue, ceiling.remedy),
        free,
    )


def _held(ceiling: Ceiling, waiting: Waiting) -> Decimal | Unknown:
    """What a queue holds, and before the gate also what it let in and did not place."""
    allocated = amounts_of(ceiling.queue.allocated)
    if isinstance(allocated, Unknown) or waiting.is_let_in:
        return allocated if isinstance(allocated, Unknown) else allocated.get(ceiling.resource, NONE)
    more = promised(ceiling.queue, waiting.fleet, ceiling.resource)
    return more if isinstance(more, Unknown) else allocated.get(ceiling.resource, NONE) + more


def _ceilings(waiting: Waiting) -> Iterator[Ceiling]:
    for queue in _chain(waiting):
        yield from _capability(queue, waiting)
    if waiting.config and not waiting.config.hierarchy:
        yield from _left_by_guarantees(waiting)


def _chain(waiting: Waiting) -> list[Queue]:
    """The queue, and where queues have parents all that are above it."""
    found = [waiting.queue]
    if waiting.config and waiting.config.hierarchy:
        while (parent := _parent(found[-1], waiting)) and parent not in found:
            found.append(parent)
    return found


def _parent(queue: Queue, waiting: Waiting) -> Queue | None:
    if queue.parent_name is None or queue.parent_name == _ROOT:
        return None
    return waiting.fleet.listings.queues.get((queue.cluster, queue.parent_name))


def _capability(queue: Queue, waiting: Waiting) -> Iterator[Ceiling]:
    for one in queue.capability or ():
        if isinstance(one.value, Decimal) and not one.unlimited:
            what = "its parent queue" if queue is not waiting.queue else "queue"
            yield Ceiling(
                queue=queue,
                resource=one.resource,
                most=one.value,
                said=f"{what} {queue.name} may hold {one.text} {one.resource}",
                remedy=f"raise {one.resource} in the capability of queue {queue.name}",
                evidence=(waiting.told(f"queues/{queue.name} spec.capability[{one.resource}]", one.text),),
            )


def _left_by_guarantees(waiting: Waiting) -> Iterator[Ceiling]:
    """What is left of the cluster's total; only where queues have no parents."""
    queue, asked = waiting.queue, waiting.asked
    listed = waiting.fleet.queues(queue.cluster)
    others = (
        [one for one in listed.values() if one.name not in {queue.name, _ROOT}]
        if isinstance(listed, Map)
        else []
    )
    for resource in () if isinstance(asked, Unknown) else sorted(asked):
        keeping = {one.name: amount for one in others if (amount := _guaranteed(one, resource))}
        has = total(queue.cluster, waiting.fleet, resource)
        if keeping and isinstance(has, Decimal):
            left, names = has - sum(keeping.values()), ", ".join(sorted(keeping))
            yield Ceiling(
                queue=queue,
                resource=resource,
                most=left,
                said=(
                    f"guarantees of {names} leave queue {queue.name} {write_decimal(max(left, NONE))} of the "
                    f"cluster's {write_decimal(has)} {resource}"
                ),
                remedy=f"lower {resource} in the guarantee of {names}, or give {queue.name} one",
                evidence=tuple(
                    waiting.told(f"queues/{name} spec.guarantee[{resource}]", write_decimal(amount))
                    for name, amount in sorted(keeping.items())
                ),
            )


def _guaranteed(queue: Queue, resource: str) -> Decimal:
    amounts = amounts_of(queue.guarantee)
    return NONE if isinstance(amounts, Unknown) else amounts.get(resource, NONE)
