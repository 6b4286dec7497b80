"""Slurm's numbers: counts and times that may be not set, or without a limit."""

from datetime import UTC, datetime
from typing import Any

from msgspec import Struct, ValidationError, convert

UNSET_MARKERS = (4294967294, 65534, -2)
"""NO_VAL, NO_VAL16 and -2, as v0.0.38 and older write what is not set."""
INFINITE_MARKERS = (4294967295, 65535, -1)


class Number(Struct):
    """A number as v0.0.39 and later write it."""

    set: bool
    infinite: bool
    number: int


def read_count(value: Any) -> int | None:  # noqa: ANN401  (any JSON)
    """Read a whole number from 0; None where it is not set. What has no limit is no count."""
    try:
        read = convert(value, Number)
    except ValidationError as error:
        raise ValueError(f"is no number of Slurm: {error}") from None
    # An unlimited number comes with set false: infinite first, or it would turn into nothing.
    if read.infinite:
        raise ValueError("has no limit")
    if not read.set or read.number in UNSET_MARKERS:
        return None
    if read.number < 0:
        raise ValueError("is below 0")
    return read.number


def read_time(value: Any) -> datetime | None:  # noqa: ANN401  (any JSON)
    """Read a time in seconds since 1970; 0 is none."""
    seconds = read_count(value)
    if not seconds:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        raise ValueError("is no time") from None
