from datetime import timedelta

from tests.asking import Gateway
from tests.builders import NOON, a_node, a_price, some_records
from tests.fleets import ABSENT, NEVER, RECORDS, a_keeper
from tests.gpu_labels import H100

ASKED = "{ clusters { gpuTypes { name pricePerHour { amount } prices { amount currency effectiveFrom } } } }"


def the_type(keeper):
    (found,) = Gateway(keeper).data(ASKED)["clusters"][0]["gpuTypes"]
    return found


def test_the_price_that_holds_now_stands_among_all_that_were_and_will_be():
    prices = [
        a_price("3", since=NOON - timedelta(days=9)),
        a_price("2.50", since=NOON),
        a_price("9", since=NOON + timedelta(seconds=1)),
    ]
    keeper = a_keeper(nodes=[a_node()], records=some_records(prices={H100: prices}))

    assert the_type(keeper) == {
        "name": H100,
        "pricePerHour": {"amount": "2.5"},
        "prices": [
            {"amount": "3", "currency": "USD", "effectiveFrom": "2026-11-20T12:00:00Z"},
            {"amount": "2.5", "currency": "USD", "effectiveFrom": "2026-11-29T12:00:00Z"},
            {"amount": "9", "currency": "USD", "effectiveFrom": "2026-11-29T12:00:01Z"},
        ],
    }


def test_a_type_without_a_price_has_none():
    keeper = a_keeper(nodes=[a_node()])

    assert the_type(keeper) == {"name": H100, "pricePerHour": None, "prices": []}


def test_without_platform_records_there_are_no_prices():
    keeper = a_keeper(nodes=[a_node()])
    keeper.touch(RECORDS, ABSENT)

    assert the_type(keeper) == {"name": H100, "pricePerHour": None, "prices": None}


def test_prices_of_a_silent_platform_are_its_errors():
    keeper = a_keeper(nodes=[a_node()])
    keeper.touch(RECORDS, NEVER)

    errors = Gateway(keeper).ask(ASKED)["errors"]

    assert [(error["path"][-1], error["extensions"]["system"]) for error in errors] == [
        ("pricePerHour", "PLATFORM"),
        ("prices", "PLATFORM"),
    ]
