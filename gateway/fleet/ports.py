"""The seams between the fleet and what knows it."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Protocol

from gateway.fleet.alert import Alert, News
from gateway.fleet.source import Contact, SourceKey


class Feed(Protocol):
    """Where a source tells what it learnt. Calls are synchronous: a reader never sees half of one."""

    def replace(self, key: SourceKey, rows: Mapping[Hashable, object], contact: Contact) -> None:
        """Everything that there is, by key; what is not among it is gone."""

    def change(self, key: SourceKey, rows: Mapping[Hashable, object | None], contact: Contact) -> None:
        """What changed, by key; None is gone."""

    def touch(self, key: SourceKey, contact: Contact) -> None:
        """Nothing changed but the contact itself."""


class Source(Protocol):
    """Keeps some listings of one system fresh for as long as it runs."""

    async def run(self) -> None:
        """Read, tell the feed, and go on until cancelled; a silent system is told, never raised."""


class AlertStore(Protocol):
    """Keeps alerts over restarts, and tells replicas of each other's."""

    async def exchange(self, news: News) -> Sequence[Alert]:
        """Write what is new, and read all that are kept; a SourceError where that is not to be had now."""
