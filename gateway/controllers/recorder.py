"""Keeps why work waits: Kubernetes forgets its events after an hour, and its conditions with the pod."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from gateway.errors import SourceError
from gateway.fleet.fleet import Fleet
from gateway.fleet.pending.over import over
from gateway.fleet.pending.reason import KeptReason, ReasonKey, ReasonNews, Sighting
from gateway.fleet.pending.sightings import sightings
from gateway.fleet.ports import ReasonStore

_LOG = logging.getLogger(__name__)
Sleep = Callable[[float], Awaitable[None]]
EVERY = timedelta(seconds=5)
_HEARTBEAT = timedelta(minutes=1)
"""How often it is told that a reason still holds, where nothing else is to be told of it."""


class Recorder:
    """Tells the store what is said now; what it was told before, by whomever, counts once."""

    def __init__(
        self,
        pin: Callable[[], Fleet],
        store: ReasonStore,
        kept_for: timedelta,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._pin = pin
        self._store = store
        self._kept_for = kept_for
        self._sleep = sleep
        self._told: dict[tuple[ReasonKey, str], tuple[Sighting, datetime]] = {}
        self._store_answers = True
        self.caught_up_at: datetime | None = None
        """Up to when all that was said is kept; None: nothing is yet."""

    async def run(self) -> None:
        """Look and tell until cancelled; what a silent store misses is told when it answers again."""
        while True:
            await self.record()
            await self._sleep(EVERY.total_seconds())

    async def record(self) -> None:
        """Tell what is said at this moment."""
        fleet = self._pin()
        seen = tuple(sightings(fleet))
        try:
            kept = await self._store.keep(self._news(fleet, seen))
            await self._end(kept, seen, fleet)
        except SourceError as error:
            if self._store_answers:
                _LOG.warning("why work waits is not kept meanwhile: %s", error)
            self._store_answers = False
            return
        self._store_answers = True
        self._told = {(one.key, one.origin): self._telling(one, fleet.now) for one in seen}
        self.caught_up_at = fleet.now

    async def _end(self, kept: Sequence[KeptReason], seen: tuple[Sighting, ...], fleet: Fleet) -> None:
        ended = tuple(over(kept, seen, fleet))
        if ended:
            await self._store.keep(ReasonNews(at=fleet.now, seen=(), over=ended, forget=self._horizon(fleet)))

    def _news(self, fleet: Fleet, seen: tuple[Sighting, ...]) -> ReasonNews:
        news = tuple(one for one in seen if self._is_news(one, fleet.now))
        return ReasonNews(at=fleet.now, seen=news, over=(), forget=self._horizon(fleet))

    def _horizon(self, fleet: Fleet) -> datetime:
        return fleet.now - self._kept_for

    def _is_news(self, sighting: Sighting, now: datetime) -> bool:
        told, at = self._told.get((sighting.key, sighting.origin), (None, now))
        if told is None or (told.message, told.count) != (sighting.message, sighting.count):
            return True
        return now - at >= _HEARTBEAT and told.last_seen != sighting.last_seen

    def _telling(self, sighting: Sighting, now: datetime) -> tuple[Sighting, datetime]:
        if self._is_news(sighting, now):
            return sighting, now
        return self._told[sighting.key, sighting.origin]
