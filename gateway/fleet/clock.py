"""What time it is; everything else takes a clock as a parameter."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

Clock: TypeAlias = Callable[[], datetime]


def utc_now() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - the one place that asks the machine
