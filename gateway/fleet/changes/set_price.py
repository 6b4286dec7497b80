"""Judges a price: an exact amount of a currency for a type that there is."""

import re
from decimal import Decimal

from gateway.fleet.change import SetPrice
from gateway.fleet.changes.judgement import Judgement
from gateway.fleet.changes.refusals import invalid, not_found, undecided
from gateway.fleet.fleet import Fleet
from gateway.fleet.planned import planned_price
from gateway.fleet.problem import Problem
from gateway.fleet.unknown import Unknown

_TOO_MUCH = Decimal(10**12)
_SMALLEST = Decimal("1e-12")
_CURRENCY = re.compile("[A-Z]{3}")


def judge_price(change: SetPrice, fleet: Fleet) -> Judgement:
    """Whether a card-hour may cost this; no work is hurt by it."""
    return Judgement(change=change, problem=_senseless(change) or _refused(change, fleet), impact=None)


def _senseless(change: SetPrice) -> Problem | None:
    if not _is_exact(change.amount):
        said = "pass an amount of 0 or more, of at most 12 digits before the point and 12 after it"
        return invalid(f"{change.amount} is no price: {said}", "amount")
    if not _CURRENCY.fullmatch(change.currency):
        return invalid(f"{change.currency!r:.60} is no currency: pass its ISO 4217 code, as EUR", "currency")
    return None


def _is_exact(amount: Decimal) -> bool:
    """Whether so much for each card is still exact when the cards of a fleet are added up."""
    if not amount.is_finite() or amount.is_signed() or amount >= _TOO_MUCH:
        return False
    return amount == amount.quantize(_SMALLEST)


def _refused(change: SetPrice, fleet: Fleet) -> Problem | None:
    held = fleet.prices(change.gpu_type)
    if isinstance(held, Unknown):
        return undecided(held, "which types and prices there are is not known", "gpuType")
    if change.gpu_type not in fleet.gpu_types:
        return not_found("GPU type", change.gpu_type, fleet.gpu_types, "gpuType")
    plan = planned_price(change, held, fleet.now)
    return plan if isinstance(plan, Problem) else None
