from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from schema.scalars import SCALARS, read_time, write_time

DECIMAL = SCALARS[Decimal]


def test_times_are_written_in_utc_with_a_z():
    noon = datetime(2026, 1, 31, 12, tzinfo=timezone(timedelta(hours=2)))

    assert write_time(noon) == "2026-01-31T10:00:00Z"
    assert write_time(noon.replace(microsecond=1500)) == "2026-01-31T10:00:00.001500Z"


def test_times_are_read_with_any_offset():
    assert read_time("2026-01-31T12:00:00+02:00") == datetime(2026, 1, 31, 10, tzinfo=UTC)
    assert read_time("2026-01-31T12:00:00Z") == datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize("text", ["2026-01-31T12:00:00", "noon"])
def test_a_time_that_could_be_several_is_refused(text):
    with pytest.raises(ValueError, match=r"offset|Invalid isoformat"):
        read_time(text)


@pytest.mark.parametrize(
    ("amount", "text"),
    [("2.50", "2.5"), ("1E+3", "1000"), ("1E-9", "0.000000001"), ("0.00", "0"), ("10", "10")],
)
def test_decimals_are_written_without_exponent_and_trailing_zeros(amount, text):
    assert DECIMAL.serialize(Decimal(amount)) == text


@pytest.mark.parametrize(("text", "amount"), [("2.50", "2.5"), ("-1", "-1"), ("0.000000001", "0.000000001")])
def test_decimals_are_read_exactly(text, amount):
    assert DECIMAL.parse_value(text) == Decimal(amount)


@pytest.mark.parametrize("text", ["NaN", "1e9", "", "٢", "1" * 31, 2.1, None])
def test_what_is_no_exact_number_is_refused(text):
    with pytest.raises(ValueError, match="write it as a string"):
        DECIMAL.parse_value(text)
