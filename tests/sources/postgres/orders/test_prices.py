from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from gateway.fleet.change import SetPrice, Written
from gateway.fleet.clock import utc_now
from gateway.fleet.gpu import Price
from gateway.fleet.problem import ProblemCode

H100 = "H100-80GB"
OLD = datetime(2026, 1, 1, tzinfo=UTC)
IN_A_WEEK = timedelta(days=7)


def to_set(amount, start=None, currency="USD"):
    return SetPrice(gpu_type=H100, amount=Decimal(amount), currency=currency, effective_from=start)


@pytest.fixture(autouse=True)
async def _charged(session):
    """A price that holds for long."""
    await session.execute("INSERT INTO gpu_price VALUES ($1, $2, 2.5, 'USD')", H100, OLD)


async def test_a_price_holds_from_now_on_beside_those_before(replica):
    before = utc_now()
    (change,) = (await replica.ask(to_set("3"))).changes
    assert change.field == "prices"
    assert change.before == '{amount: "2.5", currency: "USD", effectiveFrom: "2026-01-01T00:00:00Z"}'
    assert change.after == '{amount: "3", currency: "USD"}'
    old, new = replica.records.prices[H100]
    assert old == Price(amount=Decimal("2.5"), currency="USD", effective_from=OLD)
    assert new.amount == 3
    assert before <= new.effective_from <= utc_now()


async def test_the_price_that_holds_is_not_written_again(replica):
    assert await replica.ask(to_set("2.50")) == Written(changes=(), generation=None)
    assert await replica.ask(to_set("2.5", OLD)) == Written(changes=(), generation=None)
    assert len(replica.records.prices[H100]) == 1


async def test_a_price_to_come_may_be_corrected_until_it_holds(replica):
    start = utc_now() + IN_A_WEEK
    await replica.ask(to_set("3", start))
    (change,) = (await replica.ask(to_set("4", start))).changes
    assert change.before.startswith('{amount: "3"')
    assert [price.amount for price in replica.records.prices[H100]] == [Decimal("2.5"), 4]


async def test_what_was_charged_is_not_rewritten(replica):
    problem = await replica.ask(to_set("1", OLD))
    assert (problem.code, problem.path) == (ProblemCode.INVALID, ("effectiveFrom",))
    assert [price.amount for price in replica.records.prices[H100]] == [Decimal("2.5")]


async def test_a_currency_that_is_none_is_refused_by_the_database_itself(replica):
    problem = await replica.ask(to_set("3", currency="dollars"))
    assert problem.code is ProblemCode.INVALID
    assert "gpu_price_currency_check" in problem.message
