"""Keep a listing fresh: what was read, what was skipped, how contact stands, when to try again."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Generic, NamedTuple, TypeVar

from gateway.errors import SourceError, SourceRefused
from gateway.fleet.clock import Clock
from gateway.fleet.ports import Feed
from gateway.fleet.source import Contact, SkippedItem, SourceKey

R = TypeVar("R")
_MOST_RAW = 200
_TRIES = 4


class Problem(NamedTuple):
    """A value that could not be read, or that no count can be made of."""

    path: str
    """Where it stands in the object; empty for the object itself."""
    raw: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Item(Generic[R]):
    """One object of a listing as it was read."""

    key: Hashable
    subject: str
    """The object as people name it: nodes/gpu-01."""
    record: R | None
    """None: it could not be read at all, or is of no interest."""
    problems: tuple[Problem, ...] = ()


class Listing(Generic[R]):
    """Tells the fleet what one listing holds, and names what could not be read."""

    def __init__(self, key: SourceKey, feed: Feed, clock: Clock, contact: Contact) -> None:
        self.key = key
        self._feed = feed
        self._clock = clock
        self._contact = contact
        self._skipped: dict[Hashable, tuple[SkippedItem, ...]] = {}
        feed.touch(key, contact)

    def listed(self, items: Iterable[Item[R]], at: datetime | None = None) -> None:
        """All that there is, or that there was when the system said so."""
        held = list(items)
        now = self._clock()
        now = now if at is None else min(at, now)
        self._skip({item.key: skips for item in held if (skips := self._skips(item, now))})
        self._contact = self._contact.succeeded(now)
        rows = {item.key: item.record for item in held if item.record is not None}
        self._feed.replace(self.key, rows, self._contact)

    def changed(self, items: Iterable[Item[R]], gone: Iterable[Hashable] = ()) -> None:
        """These changed, those are gone; an object that cannot be read any more is gone too."""
        now = self._clock()
        rows: dict[Hashable, R | None] = dict.fromkeys(gone)
        skipped: dict[Hashable, tuple[SkippedItem, ...]] = dict.fromkeys(rows, ())
        for item in items:
            rows[item.key] = item.record
            skipped[item.key] = self._skips(item, now)
        if any(skips != self._skipped.get(key, ()) for key, skips in skipped.items()):
            self._skip({**self._skipped, **skipped})
        self._contact = self._contact.succeeded(now)
        self._feed.change(self.key, rows, self._contact)

    def heard(self) -> None:
        """The system answered, and nothing changed."""
        self._contact = self._contact.succeeded(self._clock())
        self._feed.touch(self.key, self._contact)

    def failed(self, error: SourceError) -> None:
        """The system did not answer; what it said before grows old."""
        retryable = not isinstance(error, SourceRefused)
        self._contact = self._contact.failed(self._clock(), str(error), retryable=retryable)
        self._feed.touch(self.key, self._contact)

    def absent(self) -> None:
        """The system answers that it has no such listing; nothing is expected of it."""
        self._skip({})
        self._contact = replace(self._contact.succeeded(self._clock()), absent=True)
        self._feed.replace(self.key, {}, self._contact)

    def _skip(self, skipped: Mapping[Hashable, tuple[SkippedItem, ...]]) -> None:
        self._skipped = {key: skips for key, skips in skipped.items() if skips}
        together = tuple(skip for skips in self._skipped.values() for skip in skips)
        self._contact = replace(self._contact, skipped=together)

    def _skips(self, item: Item[R], now: datetime) -> tuple[SkippedItem, ...]:
        since = {skip.path: skip.since for skip in self._skipped.get(item.key, ())}
        return tuple(
            SkippedItem(
                subject=item.subject,
                path=problem.path,
                raw=problem.raw[:_MOST_RAW],
                problem=problem.text,
                since=since.get(problem.path, now),
            )
            for problem in item.problems
        )


def pauses(
    first: timedelta, longest: timedelta, chance: Callable[[], float] = random.random
) -> Iterator[float]:
    """Seconds to wait after each failure in a row: doubling, with jitter, to a limit."""
    pause = first.total_seconds()
    while True:
        yield pause * (0.5 + chance() / 2)
        pause = min(pause * 2, longest.total_seconds())


def in_time(usual: timedelta, stale_after: timedelta) -> timedelta:
    """The usual span, or a shorter one where silence has to be noticed long before values are withheld."""
    return min(usual, stale_after / _TRIES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How often to read, and how long to wait after failures."""

    every: timedelta
    first_pause: timedelta = timedelta(milliseconds=500)
    longest_pause: timedelta = timedelta(seconds=30)


async def poll(
    read: Callable[[], Awaitable[timedelta | None]],
    failed: Callable[[SourceError], None],
    rhythm: Rhythm,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Read again and again until cancelled; a source error is told and waited out.

    What was read may say how long it is good for, where that is not for as long as the rhythm has it.
    """
    waits = pauses(rhythm.first_pause, rhythm.longest_pause)
    while True:
        try:
            good_for = await read()
        except SourceError as error:
            failed(error)
            await sleep(next(waits))
        else:
            waits = pauses(rhythm.first_pause, rhythm.longest_pause)
            await sleep((rhythm.every if good_for is None else good_for).total_seconds())
