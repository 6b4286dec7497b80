"""A feed that remembers what sources told it, and lets a test wait for more."""

import asyncio
from collections.abc import Callable, Hashable, Mapping

from gateway.fleet.source import Contact, SourceKey


class RecordingFeed:
    """What each listing holds now, how contact stands, and how often all of it was replaced."""

    def __init__(self) -> None:
        self.rows: dict[SourceKey, dict[Hashable, object]] = {}
        self.contacts: dict[SourceKey, Contact] = {}
        self.replaced = 0
        self._told = asyncio.Event()

    def replace(self, key: SourceKey, rows: Mapping[Hashable, object], contact: Contact) -> None:
        self.rows[key] = dict(rows)
        self.replaced += 1
        self.touch(key, contact)

    def change(self, key: SourceKey, rows: Mapping[Hashable, object | None], contact: Contact) -> None:
        held = self.rows.setdefault(key, {})
        for name, row in rows.items():
            if row is None:
                held.pop(name, None)
            else:
                held[name] = row
        self.touch(key, contact)

    def touch(self, key: SourceKey, contact: Contact) -> None:
        self.contacts[key] = contact
        self._told.set()

    async def until(self, holds: Callable[[], bool], within: float = 20) -> None:
        """Return once this holds, looking again whenever something is told."""
        async with asyncio.timeout(within):
            while not holds():
                self._told.clear()
                await self._told.wait()
