"""A queue's share as the scheduler sees it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from gateway.errors import System
from gateway.fleet.quantity import Quantity
from gateway.fleet.queue import Queue
from gateway.fleet.unknown import Unknown, undetermined

Amounts = Mapping[str, Decimal]
"""By resource."""
NOTHING = Decimal(0)
ALWAYS_HELD = frozenset({"cpu", "memory"})
"""They stand in every sum of Volcano, with 0 too: what is deserved of them is missing at 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What a queue is owed and what it holds."""

    queue: str
    listed: Amounts
    """deserved as the scheduler takes it: a key of guarantee counts as listed."""
    allocated: Amounts
    guarantee: Amounts
    ceiling: Amounts
    """capability, without what is unlimited there."""
    is_open: bool
    reclaimable: bool

    def lists(self, resource: str) -> bool:
        """Whether deserved names a resource; for cpu and memory, more than 0 of it."""
        return resource in self.listed and (resource not in ALWAYS_HELD or self.listed[resource] > 0)

    def fits(self, resource: str, amount: Decimal) -> bool:
        """Whether so much more of a resource is still within deserved; nothing is where it is not listed."""
        return self.holds(resource) + amount <= self.listed.get(resource, NOTHING)

    def exceeds(self, resource: str) -> bool:
        """Whether more than deserved of a resource is held."""
        return self.holds(resource) > self.listed.get(resource, NOTHING)

    def holds(self, resource: str) -> Decimal:
        """How much of a resource is held."""
        return self.allocated.get(resource, NOTHING)

    def keeps_guarantee_without(self, amounts: Amounts) -> bool:
        """Whether what is guaranteed is still held when so much is given up."""
        left = {name: self.holds(name) - amounts.get(name, NOTHING) for name in self.guarantee}
        return all(left[name] >= amount for name, amount in self.guarantee.items())

    def has_room_for(self, amounts: Amounts) -> bool:
        """Whether so much more stays within what the queue may hold at most."""
        ceiling = self.ceiling.items()
        return all(self.holds(name) + amounts.get(name, NOTHING) <= most for name, most in ceiling)


def share_of(queue: Queue, *, hierarchy: bool) -> Share | Unknown:
    """Read a queue as the scheduler does (capacity plugin, 1.9 to 1.16)."""
    if queue.allocated is None:
        return undetermined(System.QUEUES, f"queue {queue.name} does not say what is allocated")
    written = (*_all(queue.deserved), *_all(queue.guarantee), *_all(queue.allocated), *_ceilings(queue))
    unread = next((one.value for one in written if isinstance(one.value, Unknown)), None)
    if unread is not None:
        return unread
    guarantee, ceiling = _amounts(_all(queue.guarantee)), _amounts(_ceilings(queue))
    deserved = _amounts(_all(queue.deserved))
    # With hierarchy a ceiling does not lower what is deserved.
    owed = (
        deserved
        if hierarchy
        else {name: min(deserved[name], ceiling.get(name, deserved[name])) for name in deserved}
    )
    return Share(
        queue=queue.name,
        listed={
            name: max(owed.get(name, NOTHING), guarantee.get(name, NOTHING)) for name in {*owed, *guarantee}
        },
        allocated=_amounts(queue.allocated),
        guarantee=guarantee,
        ceiling=ceiling,
        is_open=queue.state == "Open",
        reclaimable=queue.reclaimable is not False,
    )


def _all(amounts: tuple[Quantity, ...] | None) -> tuple[Quantity, ...]:
    return amounts or ()


def _ceilings(queue: Queue) -> tuple[Quantity, ...]:
    return tuple(amount for amount in _all(queue.capability) if not amount.unlimited)


def _amounts(amounts: Iterable[Quantity]) -> dict[str, Decimal]:
    return {amount.resource: amount.value for amount in amounts if isinstance(amount.value, Decimal)}
