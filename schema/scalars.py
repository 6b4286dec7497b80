"""What GraphQL lacks: times and exact decimals."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import strawberry
from strawberry.types.scalar import ScalarDefinition

from gateway.fleet.quantity import write_decimal


def write_time(value: datetime) -> str:
    """RFC 3339 in UTC; microseconds only where there are any."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def read_time(text: str) -> datetime:
    """Read RFC 3339 as UTC; a time without an offset is refused."""
    try:
        value = datetime.fromisoformat(text)
        if value.tzinfo is not None:
            return value.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{text!r:.60} is no time: write 2026-01-31T12:00:00Z") from None
    raise ValueError(f"{text!r:.60} has no offset: write 2026-01-31T12:00:00Z")


def read_decimal(text: object) -> Decimal:
    """Read a number as a string; a float could not be exact, and NaN is no number."""
    if not isinstance(text, str) or not _DECIMAL.fullmatch(text):
        raise ValueError(f'{text!r:.60} is not an exact number: write it as a string, such as "2.50"')
    return Decimal(text)


_DECIMAL = re.compile(r"-?\d{1,30}(\.\d{1,30})?", re.ASCII)
SCALARS: dict[Any, ScalarDefinition] = {
    datetime: strawberry.scalar(
        name="DateTime",
        description="RFC 3339, UTC.",
        specified_by_url="https://scalars.graphql.org/andimarek/date-time.html",
        serialize=write_time,
        parse_value=read_time,
    ),
    Decimal: strawberry.scalar(
        name="Decimal",
        description="Exact, as a string: no exponent, no trailing zeros.",
        serialize=write_decimal,
        parse_value=read_decimal,
    ),
}
