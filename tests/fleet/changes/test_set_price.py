from datetime import timedelta
from decimal import Decimal

import pytest

from gateway.fleet.change import SetPrice
from gateway.fleet.changes.judge import judge
from gateway.fleet.merge import RECORDS
from tests.builders import NOON, a_price, some_records
from tests.fleet.changes.cases import told
from tests.fleets import NEVER, a_keeper
from tests.gpu_labels import H100


def keeper():
    return a_keeper(records=some_records(prices={H100: [a_price()]}))


def a_change(amount="3", currency="EUR", gpu_type=H100, since=None):
    return SetPrice(gpu_type=gpu_type, amount=Decimal(amount), currency=currency, effective_from=since)


@pytest.mark.parametrize(
    "change",
    [
        a_change(),
        a_change("0"),
        a_change(since=NOON + timedelta(days=1)),
        a_change("999999999999.9999999999990"),
    ],
    ids=["now", "free", "soon", "much"],
)
def test_a_price_of_a_type_that_there_is_hurts_nobody(change):
    judged = judge(change, keeper().pin())
    assert (judged.problem, judged.impact, judged.change) == (None, None, change)


REFUSED = {
    "below nothing": (
        a_change("-0.01"),
        "INVALID",
        "amount",
        "-0.01 is no price: pass an amount of 0 or more",
    ),
    "a signed nothing": (a_change("-0"), "INVALID", "amount", "-0 is no price"),
    "more than adds up exactly": (
        a_change("1000000000000"),
        "INVALID",
        "amount",
        "1000000000000 is no price: pass an amount of 0 or more, of at most 12 digits",
    ),
    "finer than adds up exactly": (a_change("0.0000000000001"), "INVALID", "amount", "1E-13 is no price"),
    "no number": (a_change("NaN"), "INVALID", "amount", "NaN is no price: pass an amount of 0 or more"),
    "without end": (a_change("Infinity"), "INVALID", "amount", "Infinity is no price"),
    "small letters": (
        a_change(currency="eur"),
        "INVALID",
        "currency",
        "'eur' is no currency: pass its ISO",
    ),
    "too long": (a_change(currency="EURO"), "INVALID", "currency", "'EURO' is no currency"),
    "of no type": (
        a_change(gpu_type="H100"),
        "NOT_FOUND",
        "gpuType",
        "there is no GPU type 'H100'; there is H100-80GB",
    ),
    "in the past": (
        a_change(since=NOON - timedelta(days=2)),
        "INVALID",
        "effectiveFrom",
        "2026-11-27T12:00:00+00:00 has passed",
    ),
}


@pytest.mark.parametrize(("change", "code", "path", "message"), REFUSED.values(), ids=REFUSED)
def test_a_price_that_cannot_hold_is_refused(change, code, path, message):
    judged = judge(change, keeper().pin())
    assert told(judged)[:2] == (code, (path,))
    assert judged.problem.message.startswith(message)


def test_while_the_records_are_silent_no_price_is_set():
    told_of = keeper()
    told_of.touch(RECORDS, NEVER)
    assert told(judge(a_change(), told_of.pin()))[:2] == ("SOURCE_SILENT", ("gpuType",))
