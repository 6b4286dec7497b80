"""What a change alters of what stands there, or why it may not: a dry run and the write say the same."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

from gateway.fleet.change import PlannedChange, SetAllocation, SetPause, SetPrice
from gateway.fleet.desired import Controller
from gateway.fleet.gpu import Price
from gateway.fleet.input_form import input_form
from gateway.fleet.platform import Allocation
from gateway.fleet.problem import GenerationConflict, Problem, ProblemCode, Refused

Plan: TypeAlias = tuple[PlannedChange, ...] | Problem
"""What changes, nothing where it is so already; or why it may not."""


def altered(*fields: tuple[str, object, object]) -> tuple[PlannedChange, ...]:
    """Those of the fields, each with before and after, that differ."""
    return tuple(
        PlannedChange(field=field, before=input_form(before), after=input_form(after))
        for field, before, after in fields
        if before != after
    )


def conflict(expected: int | None, current: int, what: str) -> GenerationConflict | None:
    """What to answer where somebody changed it since the caller looked."""
    if expected in {None, current}:
        return None
    return GenerationConflict(
        code=ProblemCode.GENERATION_CONFLICT,
        message=f"{what} is at generation {current}, not {expected}: look at it again, and ask anew",
        path=("ifGeneration",),
        current_generation=current,
    )


def planned_allocation(change: SetAllocation, held: Allocation | None) -> Plan:
    """What a change alters of an allocation; None: nothing is allocated."""
    what = f"the allocation of {change.gpu_type} to {change.tenant}/{change.workspace}"
    moved = conflict(change.if_generation, held.generation if held else 0, what)
    return moved or altered(("cards", held.cards if held else 0, change.cards))


def planned_price(change: SetPrice, held: Sequence[Price], now: datetime) -> Plan:
    """What a price alters, where these hold, oldest first; what has passed is not rewritten."""
    start = change.effective_from or now
    before = next((price for price in reversed(held) if price.effective_from <= start), None)
    if before and (before.amount, before.currency) == (change.amount, change.currency):
        return ()
    if start < now:
        return Refused(
            code=ProblemCode.INVALID,
            message=f"{start.isoformat()} has passed, and what was charged since then stands:"
            " choose a time to come, or leave effectiveFrom out to begin now",
            path=("effectiveFrom",),
        )
    after = {"amount": change.amount, "currency": change.currency, "effectiveFrom": change.effective_from}
    return altered(("prices", before, after))


def planned_pause(change: SetPause, controllers: Mapping[str, Controller]) -> Plan:
    """What a pause alters of one of these controllers, which are by name."""
    held = controllers.get(change.controller)
    if held is None:
        known = ", ".join(sorted(controllers)) or "none, since none has run yet"
        return Refused(
            code=ProblemCode.NOT_FOUND,
            message=f"there is no controller {change.controller!r:.60}; known are {known}",
            path=("controller",),
        )
    reason = change.reason if change.paused else None
    return altered(("paused", held.paused, change.paused), ("reason", held.reason, reason))
