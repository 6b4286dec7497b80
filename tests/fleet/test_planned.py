from datetime import timedelta
from decimal import Decimal

import pytest

from gateway.fleet.change import PlannedChange, SetAllocation, SetPause, SetPrice
from gateway.fleet.desired import Controller
from gateway.fleet.planned import planned_allocation, planned_pause, planned_price
from gateway.fleet.platform import Allocation
from gateway.fleet.problem import ProblemCode
from tests.builders import NOON, a_price
from tests.gpu_labels import H100

HOUR = timedelta(hours=1)


def fields(plan):
    return [(one.field, one.before, one.after) for one in plan]


def to_allocate(cards, **how):
    return SetAllocation(tenant="vision", workspace="training", gpu_type=H100, cards=cards, **how)


def to_price(amount, start=None, currency="USD"):
    return SetPrice(gpu_type=H100, amount=Decimal(amount), currency=currency, effective_from=start)


def a_controller(*, paused=False, reason=None):
    return Controller(
        name="node-reconciler/fleet",
        leader="a",
        epoch=3,
        paused=paused,
        paused_by="ada" if paused else None,
        reason=reason,
        in_change=0,
        max_in_change=1,
    )


@pytest.mark.parametrize(
    ("held", "cards", "changes"),
    [
        (None, 4, [("cards", "0", "4")]),
        (None, 0, []),
        (4, 4, []),
        (4, 6, [("cards", "4", "6")]),
        (4, 0, [("cards", "4", "0")]),
    ],
)
def test_an_allocation_alters_its_cards_and_none_is_no_cards(held, cards, changes):
    given = None if held is None else Allocation(gpu_type=H100, cards=held, generation=2)
    assert fields(planned_allocation(to_allocate(cards), given)) == changes


@pytest.mark.parametrize(("held", "expected", "current"), [(None, 1, 0), (2, 1, 2), (2, 0, 2)])
def test_an_allocation_that_moved_since_is_a_conflict_that_tells_where_it_is_now(held, expected, current):
    given = None if held is None else Allocation(gpu_type=H100, cards=4, generation=held)
    problem = planned_allocation(to_allocate(4, if_generation=expected), given)
    assert problem.current_generation == current
    assert problem.path == ("ifGeneration",)
    assert problem.message == (
        f"the allocation of {H100} to vision/training is at generation {current}, not {expected}:"
        " look at it again, and ask anew"
    )


def test_a_price_is_told_beside_the_one_that_it_follows():
    held = [a_price("2.50"), a_price("9", since=NOON + 9 * HOUR)]
    assert planned_price(to_price("3.10", NOON + HOUR), held, NOON) == (
        PlannedChange(
            field="prices",
            before='{amount: "2.5", currency: "USD", effectiveFrom: "2026-11-28T12:00:00Z"}',
            after='{amount: "3.1", currency: "USD", effectiveFrom: "2026-11-29T13:00:00Z"}',
        ),
    )


def test_a_price_without_a_time_begins_now():
    assert fields(planned_price(to_price("3"), [], NOON)) == [
        ("prices", None, '{amount: "3", currency: "USD"}')
    ]


@pytest.mark.parametrize("start", [None, NOON, NOON + HOUR, NOON - HOUR])
def test_the_price_that_holds_then_anyway_alters_nothing_not_even_in_the_past(start):
    assert planned_price(to_price("2.500", start), [a_price("2.5")], NOON) == ()


@pytest.mark.parametrize("other", [to_price("3", NOON - HOUR), to_price("2.5", NOON - HOUR, "EUR")])
def test_what_was_charged_is_not_rewritten(other):
    problem = planned_price(other, [a_price("2.5")], NOON)
    assert (problem.code, problem.path) == (ProblemCode.INVALID, ("effectiveFrom",))
    assert problem.message.startswith("2026-11-29T11:00:00+00:00 has passed")


@pytest.mark.parametrize(
    ("held", "asked", "changes"),
    [
        ({}, {"paused": True, "reason": "fire"}, [("paused", "false", "true"), ("reason", None, "fire")]),
        ({"paused": True, "reason": "fire"}, {"paused": True, "reason": "fire"}, []),
        (
            {"paused": True, "reason": "fire"},
            {"paused": False, "reason": "out"},
            [("paused", "true", "false"), ("reason", "fire", None)],
        ),
        ({"paused": True}, {"paused": True, "reason": "fire"}, [("reason", None, "fire")]),
    ],
)
def test_a_pause_has_a_reason_for_as_long_as_it_lasts(held, asked, changes):
    one = a_controller(**held)
    assert fields(planned_pause(SetPause(controller=one.name, **asked), {one.name: one})) == changes


def test_a_controller_that_is_not_there_is_answered_with_those_that_are():
    problem = planned_pause(SetPause(controller="reconciler", paused=True), {"node-reconciler/fleet": None})
    assert problem.code is ProblemCode.NOT_FOUND
    assert problem.message == "there is no controller 'reconciler'; known are node-reconciler/fleet"
    nobody = planned_pause(SetPause(controller="reconciler", paused=True), {})
    assert nobody.message.endswith("known are none, since none has run yet")
