"""Keeps one kind of one cluster fresh: a list in pages, then short watches that go on from one another.

A watch lasts 25 seconds, because nothing else finds a peer that is stopped while its kernel acknowledges:
bookmarks come once a minute (kube-apiserver 1.36.3), so silence under a minute proves nothing.
"""

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Generic, TypeVar

from gateway.errors import SourceError, SourceMisread, SourceRefused, SourceUnavailable, System
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.failures import Gone, NotServed, refusal
from gateway.sources.kubernetes.lines import CutLine, Lines, LongLine
from gateway.sources.kubernetes.objects import (
    Kind,
    Page,
    read_event,
    read_failure,
    read_head,
    read_item,
    read_page,
    subject,
)
from gateway.sources.sync import Item, Listing, pauses

R = TypeVar("R")

_SHORTEST_WATCH = 0.5
_LONGEST_LINE = 4 * 2**20
_FLOOD = 64 * 2**10
"""Bytes that come at once where events gather by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRhythm:
    """How long to watch, and when to look anew."""

    watch: timedelta = timedelta(seconds=25)
    """How long one watch lasts."""
    grace: timedelta = timedelta(seconds=5)
    """How much later than that its end may come; then the peer is taken for dead."""
    relist: timedelta = timedelta(minutes=30)
    """How often everything is listed again, in case a watch missed something."""
    absent: timedelta = timedelta(minutes=1)
    """How often to look whether a kind that was not served is."""
    gather: timedelta = timedelta(milliseconds=50)
    """How long events gather before they are read: to wake for each of 200 a second costs thrice as much."""
    page: int = 500
    """Objects asked for at once."""
    first_pause: timedelta = timedelta(milliseconds=500)
    longest_pause: timedelta = timedelta(seconds=30)


class Watch(Generic[R]):
    """Tells a listing what one kind holds, from now on."""

    def __init__(
        self,
        api: Api,
        kind: Kind[R],
        listing: Listing[R],
        rhythm: WatchRhythm,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._api = api
        self._kind = kind
        self._listing = listing
        self._rhythm = rhythm
        self._sleep = sleep
        self._version: str | None = None
        """How far what is held goes; None: not far enough to go on from."""
        self._doubtful = False
        """After a failure: the server may have come back with older data."""
        self._relist_at = 0.0

    async def run(self) -> None:
        """List and watch until cancelled; failures are told and waited out."""
        waits = self._waits()
        while True:
            if await self._attempt():
                waits = self._waits()
            else:
                await self._sleep(next(waits))

    def _waits(self) -> Iterator[float]:
        return pauses(self._rhythm.first_pause, self._rhythm.longest_pause)

    async def _attempt(self) -> bool:
        """Go one round; whether the next may follow at once."""
        try:
            return await self._round()
        except Gone as error:
            if self._version is None:  # a list said it
                self._listing.failed(error)
            self._version = None
        except NotServed as error:
            return await self._not_served(error)
        except SourceError as error:
            self._failed(error)
        return False

    def _failed(self, error: SourceError) -> None:
        self._doubtful = True
        if isinstance(error, SourceMisread):
            self._version = None
        self._listing.failed(error)

    async def _not_served(self, error: NotServed) -> bool:
        self._version = None
        try:
            if not self._kind.optional:
                raise error
            with contextlib.suppress(SourceRefused):  # so it is an API server all the same
                await self._api.read("/version")
        except SourceError as failure:  # it is no API server that says 404 to everything
            self._failed(failure)
            return False
        self._listing.absent()
        await self._sleep(self._rhythm.absent.total_seconds())
        return True

    async def _round(self) -> bool:
        loop = asyncio.get_running_loop()
        version = self._version
        if version is None or loop.time() >= self._relist_at:
            version = await self._list()
        elif self._doubtful:
            await self._verify(version)
        self._doubtful = False
        started = loop.time()
        await self._follow(version)
        return loop.time() - started >= _SHORTEST_WATCH

    async def _list(self) -> str:
        """Read everything there is."""
        items: list[Item[R]] = []
        token = ""
        while True:
            page = await self._page(self._rhythm.page, token)
            items += self._read(page, len(items))
            if not page.metadata.token:
                break
            if page.metadata.token == token:
                raise SourceMisread(System.KUBERNETES, f"{self._where}: a page goes on with itself")
            token = page.metadata.token
        self._listing.listed(items)
        every = self._rhythm.relist.total_seconds()
        self._relist_at = asyncio.get_running_loop().time() + every * random.uniform(0.9, 1.1)  # noqa: S311  jitter
        self._version = page.metadata.version
        return self._version

    async def _page(self, limit: int, token: str = "") -> Page:
        # Never resourceVersion=0: it ignores the limit (kube-apiserver 1.36.3).
        query = [("limit", str(limit))] + ([("continue", token)] if token else [])
        return read_page(await self._api.read(self._kind.path, query), self._where)

    def _read(self, page: Page, start: int) -> Iterator[Item[R]]:
        for position, raw in enumerate(page.items, start):
            head = read_head(raw)
            key = head.key(namespaced=self._kind.namespaced)
            if key is None:
                unnamed = f"{self._kind.plural}/items[{position}]"
                yield read_item(self._kind, raw, unnamed, unnamed)
            else:
                yield read_item(self._kind, raw, key, subject(self._kind, head))

    async def _verify(self, version: str) -> None:
        """Start over where the server has gone back behind what is held, as after a restored backup."""
        page = await self._page(1)
        if _is_older(page.metadata.version, version):
            raise Gone(System.KUBERNETES, f"{self._where}: the server is back at {page.metadata.version}")

    async def _follow(self, version: str) -> None:
        """Watch once from a version on."""
        seconds = self._rhythm.watch.total_seconds()
        query = [
            ("watch", "true"),
            ("allowWatchBookmarks", "true"),
            ("resourceVersion", version),
            ("timeoutSeconds", str(max(1, round(seconds)))),
        ]
        within = seconds + self._rhythm.grace.total_seconds()
        lines = Lines(_LONGEST_LINE)
        async with self._api.answer(self._kind.path, query, within=within) as answer:
            self._listing.heard()
            with self._whole_lines():
                while chunk := await answer.chunk():
                    self._take(lines.feed(chunk))
                    if len(chunk) < _FLOOD:
                        await asyncio.sleep(self._rhythm.gather.total_seconds())
                lines.end()
        self._listing.heard()

    @contextlib.contextmanager
    def _whole_lines(self) -> Iterator[None]:
        try:
            yield
        except CutLine as error:
            raise SourceUnavailable(System.KUBERNETES, f"{self._where}: {error}") from error
        except LongLine as error:  # the next list brings the object in a page of its own
            raise Gone(System.KUBERNETES, f"{self._where}: {error}") from error

    def _take(self, lines: Iterable[bytes]) -> None:
        """Tell what some lines changed, those before a bad one too."""
        changes: dict[Hashable, Item[R] | None] = {}
        try:
            for line in lines:
                self._take_line(line, changes)
        finally:
            if changes:
                gone = [key for key, item in changes.items() if item is None]
                self._listing.changed([item for item in changes.values() if item is not None], gone)

    def _take_line(self, line: bytes, changes: dict[Hashable, Item[R] | None]) -> None:
        event = read_event(line, self._where)
        if event.type == "ERROR":
            failure = read_failure(event.object)
            raise refusal(failure.code, f"{self._where}: {failure.code} {failure.message}")
        head = read_head(event.object)
        if event.type != "BOOKMARK":
            key = head.key(namespaced=self._kind.namespaced)
            if key is None:
                raise Gone(System.KUBERNETES, f"{self._where}: {event.type} of an object without a name")
            is_gone = event.type == "DELETED"
            name = subject(self._kind, head)
            changes[key] = None if is_gone else read_item(self._kind, event.object, key, name)
        self._version = head.metadata.version or self._version

    @property
    def _where(self) -> str:
        return f"cluster {self._api.cluster}: {self._kind.path}"


def _is_older(version: str, held: str) -> bool:
    numbers = version.isdecimal() and held.isdecimal()
    return numbers and (len(version), version) < (len(held), held)
