"""The lines of one watch.

Measured on kube-apiserver 1.36.3: a version that is too old is HTTP 200 and an ERROR line, one from the
future is silence, bookmarks come at once and then each minute, and after timeoutSeconds the watch ends
without a word.
"""

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from gateway.simulator.status import error_line
from gateway.simulator.store import Collection, Expired, encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What a client asked to be told."""

    collection: Collection
    revision: Callable[[], int]
    """The newest revision of the store."""
    since: int
    """Tell what happened after this revision; 0: tell first what is there."""
    namespace: str
    timeout_seconds: float
    bookmark_seconds: float
    """How far bookmarks are apart; infinite where none are wanted."""

    async def lines(self) -> AsyncIterator[bytes]:
        """Every event from the asked version on, until the time is over."""
        try:
            async for line in self._events():
                yield line
        except Expired as expired:
            yield error_line(410, str(expired))

    async def _events(self) -> AsyncIterator[bytes]:
        now = asyncio.get_running_loop().time
        end = now() + self.timeout_seconds
        bookmark_at = now() if self.bookmark_seconds < math.inf else math.inf
        cursor = self.since or self.revision()
        for line in self._present():
            yield line
        while True:
            changed, revision = self.collection.changed, self.revision()
            for line in self._news(cursor, bookmark=now() >= bookmark_at):
                yield line
            if now() >= end:
                return
            if now() >= bookmark_at:
                bookmark_at = now() + self.bookmark_seconds
            cursor = max(cursor, revision)
            await _wait(changed, min(end, bookmark_at) - now())

    def _news(self, cursor: int, *, bookmark: bool) -> list[bytes]:
        changes = self.collection.since(cursor)
        lines = [change.line for change in changes if self.namespace in {"", change.namespace}]
        return [*lines, self._bookmark()] if bookmark and cursor <= self.revision() else lines

    def _present(self) -> list[bytes]:
        if self.since:
            return []
        there = self.collection.snapshot()
        shown = (stored for stored in there if self.namespace in {"", stored.namespace})
        return [b'{"type":"ADDED","object":%s}\n' % stored.text for stored in shown]

    def _bookmark(self) -> bytes:
        resource = self.collection.resource
        metadata = {"resourceVersion": str(self.revision()), "creationTimestamp": None}
        body = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": metadata}
        return encode({"type": "BOOKMARK", "object": body}) + b"\n"


async def _wait(changed: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(max(0.0, seconds)):
            await changed.wait()
