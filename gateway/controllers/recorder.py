"""Keeps why work waits: Kubernetes forgets its events after an hour, and its conditions with the pod."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from gateway.errors import SourceError, SourceRefused
from gateway.fleet.fleet import Fleet
from gateway.fleet.pending.kept import REASONS
from gateway.fleet.pending.over import over
from gateway.fleet.pending.reason import KeptReason, ReasonKey, ReasonNews, Sighting
from gateway.fleet.pending.sightings import sightings
from gateway.fleet.ports import Feed, ReasonStore
from gateway.fleet.source import Contact

Sleep = Callable[[float], Awaitable[None]]
EVERY = timedelta(seconds=5)
_HEARTBEAT = timedelta(minutes=1)
"""How often it is told that a reason still holds, where nothing else is to be told of it."""
_AT_A_TIME = 500
_OUTAGE = 3
"""Failures in a row after which another store may answer, which lacks what this one was told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """How long reasons are kept, and from when on a silent store is no longer believed."""

    kept_for: timedelta
    """After they are resolved."""
    stale_after: timedelta

    @property
    def every(self) -> timedelta:
        """How often to look: silence has to be noticed long before reasons are withheld."""
        return min(EVERY, self.stale_after / 4)


class Recorder:
    """Tells the store what is said now, and the feed how far the store is; told twice, it counts once."""

    def __init__(
        self,
        pin: Callable[[], Fleet],
        feed: Feed,
        store: ReasonStore,
        keeping: Keeping,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._pin = pin
        self._feed = feed
        self._store = store
        self._kept_for = keeping.kept_for
        self._sleep = sleep
        self._every = keeping.every
        self._contact = Contact(fresh_for=3 * self._every, stale_after=keeping.stale_after)
        self._told: dict[tuple[ReasonKey, str], tuple[Sighting, datetime]] = {}
        self._held: frozenset[ReasonKey] = frozenset()

    async def run(self) -> None:
        """Look and tell until cancelled; what a silent store misses is told when it answers again."""
        self._feed.touch(REASONS, self._contact)
        while True:
            await self.record()
            await self._sleep(self._every.total_seconds())

    async def record(self) -> None:
        """Tell what is said at this moment."""
        fleet = self._pin()
        seen = await _seen(fleet)
        news = [one for one in seen if self._is_news(one, fleet.now)]
        try:
            kept = await self._keep(news, seen, fleet)
        except SourceError as error:
            retryable = not isinstance(error, SourceRefused)
            self._contact = self._contact.failed(fleet.now, str(error), retryable=retryable)
            if self._contact.consecutive_failures >= _OUTAGE:
                self._told = {}
            self._feed.touch(REASONS, self._contact)
            return
        self._remember(news, seen, fleet.now)
        self._held = frozenset(one.key for one in kept)
        self._contact = self._contact.succeeded(fleet.now)
        self._feed.replace(REASONS, {one.key: one for one in kept}, self._contact)

    async def _keep(
        self, news: Sequence[Sighting], seen: Sequence[Sighting], fleet: Fleet
    ) -> Sequence[KeptReason]:
        """Tell what is new, then what is over by what is kept; the reasons that hold."""
        forget = fleet.now - self._kept_for
        told = tuple(_by_our_clock(one, fleet.now) for one in news if one.last_seen >= forget)
        kept = await self._store.keep(ReasonNews(at=fleet.now, seen=told, over=(), forget=forget))
        ended = tuple(over(kept, seen, fleet))
        if ended:
            kept = await self._store.keep(ReasonNews(at=fleet.now, seen=(), over=ended, forget=forget))
        return kept

    def _is_news(self, sighting: Sighting, now: datetime) -> bool:
        """Whether it was not told like this, or the store takes for over what a condition still says."""
        told, at = self._told.get((sighting.key, sighting.origin), (None, now))
        if not sighting.origin and sighting.key not in self._held:
            return True
        if told is None or (told.message, told.count) != (sighting.message, sighting.count):
            return True
        return now - at >= _HEARTBEAT and told.last_seen != sighting.last_seen

    def _remember(self, news: Sequence[Sighting], seen: Sequence[Sighting], now: datetime) -> None:
        """What was told, of all that is still said."""
        told = self._told | {(one.key, one.origin): (one, now) for one in news}
        self._told = {(one.key, one.origin): told[one.key, one.origin] for one in seen}


async def _seen(fleet: Fleet) -> Sequence[Sighting]:
    """All that is said; where it is much, requests are answered in between."""
    seen: list[Sighting] = []
    for sighting in sightings(fleet):
        seen.append(sighting)
        if not len(seen) % _AT_A_TIME:
            await asyncio.sleep(0)
    return seen


def _by_our_clock(sighting: Sighting, now: datetime) -> Sighting:
    """The same, not from the future: whose clock is ahead would end nothing, and open again what is over."""
    if sighting.last_seen <= now:
        return sighting
    return replace(sighting, first_seen=min(sighting.first_seen, now), last_seen=now)
