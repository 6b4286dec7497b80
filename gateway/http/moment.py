"""What the pages beside GraphQL need of a fleet: how each source stands at one moment."""

from datetime import datetime
from typing import Protocol

from gateway.fleet.source import SourceStatus


class Moment(Protocol):
    """The part of a Fleet that is about freshness."""

    @property
    def now(self) -> datetime:
        """When it was pinned."""

    @property
    def sources(self) -> tuple[SourceStatus, ...]:
        """Every source that is configured."""
