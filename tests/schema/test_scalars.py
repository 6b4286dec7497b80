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


def test_a_time_that_was_read_is_in_utc_to_the_second():
    assert read_time("2027-01-01T00:00:00+00:00:01").isoformat() == "2026-12-31T23:59:59+00:00"


@pytest.mark.parametrize("text", ["2026-01-31T12:00:00", "noon", "", 1800000000, "9999-12-31T23:59:59-14:00"])
def test_what_is_no_one_time_is_refused_and_the_form_is_named(text):
    with pytest.raises(ValueError, match=r"(has no offset|is no time): write 2026-01-31T12:00:00Z"):
        read_time(text)


def test_what_is_far_too_long_is_not_said_again():
    for scalar in (DECIMAL, SCALARS[datetime]):
        with pytest.raises(ValueError, match="write") as refused:
            scalar.parse_value("x" * 10_000)
        assert len(str(refused.value)) < 200


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
