"""The most that a queue may hold: its capability, its parents', and what others leave of the cluster's total.

A resource that a capability does not name is not limited by it (Volcano to 1.16).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from immutables import Map

from gateway.fleet.alert import Evidence, Remedy, RemedyAction
from gateway.fleet.diagnosis.admission.totals import built_in, lame_node, total
from gateway.fleet.diagnosis.admission.waiting import NONE, Amounts, Waiting, amounts_of, change
from gateway.fleet.quantity import write_decimal
from gateway.fleet.queue import Queue
from gateway.fleet.scheduler import Release, Scheduler
from gateway.fleet.unknown import Unknown

_ROOT = "root"
_UNBOUNDED = Release(1, 14, 2)
"""From here on the cluster's total does not limit queues that have parents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The most of a resource that a queue may hold."""

    queue: Queue
    resource: str
    most: Decimal
    said: str
    """The same as a sentence."""
    remedies: tuple[Remedy, ...]
    """What would raise it."""
    evidence: tuple[Evidence, ...]


def ceilings(waiting: Waiting, asked: Amounts) -> Iterator[Ceiling]:
    """What limits its queue, as far as that is known of its scheduler."""
    for queue in _chain(waiting):
        yield from _capability(queue, waiting)
    bounded = _bounded_by_total(waiting)
    for resource in sorted(asked) if bounded else ():
        has = total(waiting.pod.cluster, waiting.fleet, resource)
        if bounded and isinstance(has, Decimal):
            yield _of_total(bounded, resource, has, waiting)


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
                remedies=(change(queue, f"raise {one.resource} in the capability of queue {queue.name}"),),
                evidence=(waiting.told(f"queues/{queue.name} spec.capability[{one.resource}]", one.text),),
            )


def _bounded_by_total(waiting: Waiting) -> Queue | None:
    """The queue that may hold no more than the cluster has; where queues have parents, once the root."""
    config, scheduler = waiting.config, waiting.fleet.scheduler(waiting.pod.cluster)
    if config is None or not isinstance(scheduler, Scheduler):
        return None
    if not config.hierarchy:
        return waiting.queue
    is_old = isinstance(scheduler.release, Release) and scheduler.release < _UNBOUNDED
    return waiting.fleet.listings.queues.get((waiting.pod.cluster, _ROOT)) if is_old else None


def _of_total(queue: Queue, resource: str, has: Decimal, waiting: Waiting) -> Ceiling:
    """What is left of the total by the guarantees of other queues; at the root nothing is taken off."""
    keeping = {} if queue.name == _ROOT else _guarantees(queue, resource, waiting)
    left = max(has - sum(keeping.values(), NONE), NONE)
    names = ", ".join(sorted(keeping))
    of_total = f"the cluster's {_given(has, resource, waiting)}"
    return Ceiling(
        queue=queue,
        resource=resource,
        most=left,
        said=(
            f"guarantees of {names} leave queue {queue.name} {write_decimal(left)} of {of_total}"
            if keeping
            else f"queue {queue.name} may hold no more than {of_total}"
        ),
        remedies=(
            *([change(queue, f"lower {resource} in the guarantee of {names}")] if keeping else ()),
            *_repairs(resource, waiting),
        ),
        evidence=tuple(
            waiting.told(f"queues/{name} spec.guarantee[{resource}]", write_decimal(amount))
            for name, amount in sorted(keeping.items())
        ),
    )


def _given(has: Decimal, resource: str, waiting: Waiting) -> str:
    """How much the cluster gives, and of how much: it shrinks when a device fails."""
    built = built_in(waiting.pod.cluster, waiting.fleet, resource)
    lost = f" (of {write_decimal(built)} that its nodes have)" if built is not None and built > has else ""
    return f"{write_decimal(has)} {resource}{lost}"


def _repairs(resource: str, waiting: Waiting) -> list[Remedy]:
    """Devices to bring back, of the first node that lost some."""
    lame = lame_node(waiting.pod.cluster, waiting.fleet, resource)
    if lame is None:
        return []
    text = f"bring back the {resource} that {lame.name} has and does not offer"
    return [Remedy(action=RemedyAction.REPAIR_NODE, text=text, subject=lame.id)]


def _guarantees(queue: Queue, resource: str, waiting: Waiting) -> dict[str, Decimal]:
    """What other queues keep of a resource, by name."""
    listed = waiting.fleet.queues(queue.cluster)
    others = listed.values() if isinstance(listed, Map) else ()
    amounts = {one.name: amounts_of(one.guarantee) for one in others if one.name not in {queue.name, _ROOT}}
    kept = {name: one.get(resource, NONE) for name, one in amounts.items() if not isinstance(one, Unknown)}
    return {name: amount for name, amount in kept.items() if amount}
