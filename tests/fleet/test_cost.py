from datetime import timedelta
from decimal import Decimal

from gateway.errors import System
from gateway.fleet.cost import cost_of, price_at, total_cost
from gateway.fleet.gpu import Money
from gateway.fleet.unknown import undetermined
from tests.builders import NOON, a_price
from tests.fleets import silence

DAY = timedelta(days=1)
SILENT = silence(System.PLATFORM)
UNCOUNTED = undetermined(System.KUBERNETES, "no label")


def money(amount, currency="USD"):
    return Money(amount=Decimal(amount), currency=currency)


def test_the_newest_price_that_began_holds():
    prices = [
        a_price("1.00", since=NOON - 2 * DAY),
        a_price("2.50", since=NOON),
        a_price("9", since=NOON + DAY),
    ]

    assert price_at(prices, NOON) == money("2.50")
    assert price_at(prices, NOON - DAY) == money("1.00")


def test_before_the_first_price_there_is_none():
    assert price_at([a_price(since=NOON + DAY)], NOON) is None
    assert price_at([], NOON) is None


def test_a_price_may_change_its_currency():
    assert price_at([a_price("2"), a_price("3", "EUR", NOON)], NOON) == money("3", "EUR")


def test_silent_records_leave_the_price_unknown():
    assert price_at(SILENT, NOON) == SILENT


def test_cards_cost_their_number_times_the_price_exactly():
    assert cost_of(3, money("0.1")) == money("0.3")
    assert cost_of(0, money("2.50")) == money("0.00")
    assert cost_of(4, None) is None
    assert cost_of(None, money("2")) is None


def test_unknown_cards_or_prices_cost_what_is_not_known():
    assert cost_of(UNCOUNTED, money("2")) == UNCOUNTED
    assert cost_of(UNCOUNTED, SILENT) == SILENT  # a silence is an error, an uncounted node is data


def test_adds_up_costs_of_one_currency():
    assert total_cost([money("1.25"), money("2.50")]) == money("3.75")
    assert total_cost([]) is None
    assert total_cost([None]) is None


def test_does_not_add_up_what_is_not_whole():
    assert total_cost([money("1"), UNCOUNTED]) == UNCOUNTED
    assert total_cost([money("1"), None]).reason == "1 of 2 parts have no price"
    assert total_cost([money("1"), money("1", "EUR")]).reason == "prices in EUR and USD do not add up"
