"""What keeping listings of one cluster fresh takes: a connection, a feed, and a rhythm."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

from gateway.errors import System
from gateway.fleet.clock import Clock, utc_now
from gateway.fleet.ports import Feed
from gateway.fleet.source import Contact, SourceKey
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.kubernetes.watch import Watch, WatchRhythm
from gateway.sources.sync import Listing, Rhythm, in_time

R = TypeVar("R")
Sleep = Callable[[float], Awaitable[None]]

_LATE = timedelta(seconds=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How a cluster is kept fresh."""

    stale_after: timedelta = timedelta(minutes=5)
    """How old an answer may get before it is withheld."""
    watch: WatchRhythm = field(default_factory=WatchRhythm)
    version_every: timedelta = timedelta(minutes=1)
    """How often the version is asked for."""
    layouts_every: timedelta = timedelta(minutes=1)
    """How often to look how the MIG managers are configured."""
    scheduler_every: timedelta = timedelta(minutes=1)
    """How often to look which scheduler serves the queues."""


def timing(stale_after: timedelta, relist: timedelta) -> Timing:
    """The usual one, or a quicker one where little silence is borne."""
    usual, minute = WatchRhythm(), in_time(timedelta(minutes=1), stale_after)
    watch = WatchRhythm(
        watch=in_time(usual.watch, stale_after),
        grace=in_time(usual.grace, stale_after),
        relist=relist,
        longest_pause=in_time(usual.longest_pause, stale_after),
    )
    return Timing(
        stale_after=stale_after,
        watch=watch,
        version_every=minute,
        layouts_every=minute,
        scheduler_every=minute,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """Makes what keeps a listing of one cluster fresh; the feed knows of it from then on."""

    api: Api
    feed: Feed
    timing: Timing = field(default_factory=Timing)
    clock: Clock = utc_now
    sleep: Sleep = asyncio.sleep

    def watch(self, system: System, kind: Kind[R]) -> Watch[R]:
        """A watch over one kind, told under that system."""
        rhythm = self.timing.watch
        listing: Listing[R] = self.listing(system, kind.plural, rhythm.watch + rhythm.grace)
        return Watch(self.api, kind, listing, rhythm, self.sleep)

    def rhythm(self, every: timedelta) -> Rhythm:
        """That of a listing that is asked for now and then."""
        return Rhythm(every=every, longest_pause=self.timing.watch.longest_pause)

    def listing(self, system: System, kind: str, longest_silence: timedelta) -> Listing[Any]:
        """A listing that is late some seconds after its longest silence."""
        stale_after = self.timing.stale_after
        contact = Contact(fresh_for=longest_silence + in_time(_LATE, stale_after), stale_after=stale_after)
        return Listing(SourceKey(system, self.api.cluster, kind), self.feed, self.clock, contact)
