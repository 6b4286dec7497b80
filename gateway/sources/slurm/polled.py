"""What one poll of a Slurm brought, whoever asked."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import NamedTuple, TypeAlias

import msgspec


class Polled(NamedTuple):
    """A list as slurmrestd wrote it, once it is believed."""

    version: int
    """Of the interface that it is written in."""
    found: list[msgspec.Raw]
    at: datetime
    """When Slurm said so."""


Ask: TypeAlias = Callable[[], Awaitable[Polled]]
"""A question to Slurm; where there is no answer to believe, it raises a SourceError."""
