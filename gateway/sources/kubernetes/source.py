"""A cluster as a source: its nodes, pods and version, each kept fresh by itself."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeVar

import msgspec

from gateway.errors import SourceMisread, System
from gateway.fleet.clock import Clock, utc_now
from gateway.fleet.ports import Feed
from gateway.fleet.source import Contact, SourceKey
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.decoding import UNREADABLE
from gateway.sources.kubernetes.nodes import nodes
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.kubernetes.pods import pods
from gateway.sources.kubernetes.watch import Watch, WatchRhythm
from gateway.sources.sync import Item, Listing, Rhythm, poll

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """What it takes to keep the listings of one cluster fresh."""

    api: Api
    feed: Feed
    timing: Timing = field(default_factory=Timing)
    clock: Clock = utc_now
    sleep: Sleep = asyncio.sleep

    def watch(self, system: System, kind: Kind[R]) -> Watch[R]:
        """A watch over one kind, told under that system."""
        rhythm = self.timing.watch
        fresh_for = rhythm.watch + rhythm.grace + _LATE
        return Watch(self.api, kind, self._listing(system, kind.plural, fresh_for), rhythm, self.sleep)

    async def poll_version(self) -> None:
        """Ask for the version now and then."""
        every = self.timing.version_every
        listing: Listing[str] = self._listing(System.KUBERNETES, "version", 2 * every + _LATE)

        async def read() -> None:
            version = _version(await self.api.read("/version"), self.api.cluster)
            listing.listed([Item(key="version", subject="version", record=version)])

        await poll(read, listing.failed, Rhythm(every=every), self.sleep)

    def _listing(self, system: System, kind: str, fresh_for: timedelta) -> Listing[R]:
        contact = Contact(fresh_for=fresh_for, stale_after=self.timing.stale_after)
        return Listing(SourceKey(system, self.api.cluster, kind), self.feed, self.clock, contact)


class KubernetesSource:
    """Keeps a cluster's nodes, pods and version fresh."""

    def __init__(self, upkeep: Upkeep) -> None:
        self._upkeep = upkeep

    async def run(self) -> None:
        """Go on until cancelled; what is silent is told, and stops nothing else."""
        cluster = self._upkeep.api.cluster
        async with asyncio.TaskGroup() as group:
            group.create_task(self._upkeep.watch(System.KUBERNETES, nodes(cluster)).run())
            group.create_task(self._upkeep.watch(System.KUBERNETES, pods(cluster)).run())
            group.create_task(self._upkeep.poll_version())


class _Version(msgspec.Struct):
    git_version: str = msgspec.field(name="gitVersion")


def _version(body: bytes, cluster: str) -> str:
    try:
        return msgspec.json.decode(body, type=_Version).git_version
    except UNREADABLE as error:
        raise SourceMisread(System.KUBERNETES, f"cluster {cluster}: /version: {error}") from error
