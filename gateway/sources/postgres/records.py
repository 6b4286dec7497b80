"""Keep the platform's records fresh: told of every change, and sure of the connection that tells."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

import asyncpg
from asyncpg import Connection

from gateway.errors import SourceError, System
from gateway.fleet.clock import Clock, utc_now
from gateway.fleet.platform import PlatformRecords
from gateway.fleet.ports import Feed
from gateway.fleet.source import Contact, SourceKey
from gateway.sources.postgres.connection import connected, database_now
from gateway.sources.postgres.snapshot import KEY, Snapshot, read_snapshot, renewed
from gateway.sources.sync import Item, Listing, pauses

RECORDS = SourceKey(System.PLATFORM, "", "records")
CHANNEL = "gateway_record"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often the platform is read and asked for a sign of life, and how long its records may age."""

    resync: timedelta = timedelta(minutes=1)
    """Read all again although nothing was told: what was notified over a lost connection is lost."""
    ping: timedelta = timedelta(seconds=5)
    ping_limit: timedelta = timedelta(seconds=2)
    settle: timedelta = timedelta(milliseconds=100)
    """After a change: many small ones are read once."""
    first_pause: timedelta = timedelta(milliseconds=500)
    longest_pause: timedelta = timedelta(seconds=30)
    stale_after: timedelta = timedelta(minutes=5)


class PlatformSource:
    """The platform's records, as one row of the fleet."""

    def __init__(
        self, dsn: Callable[[], str], feed: Feed, clock: Clock = utc_now, pace: Pace | None = None
    ) -> None:
        self._dsn = dsn
        self._pace = pace or Pace()
        contact = Contact(fresh_for=3 * self._pace.ping, stale_after=self._pace.stale_after)
        self._listing: Listing[PlatformRecords] = Listing(RECORDS, feed, clock, contact)
        self._held: Snapshot | None = None
        self._waits = self._new_waits()
        self._stirred = asyncio.Event()
        self._turn = asyncio.Condition()
        self._begun = self._told = 0

    async def run(self) -> None:
        """Read, tell the feed, and go on until cancelled; a silent database is told, never raised."""
        while True:
            try:
                await self._follow()
            except SourceError as error:
                self._listing.failed(error)
                await asyncio.sleep(next(self._waits))

    async def caught_up(self) -> None:
        """Return once what was read after this call is in the fleet."""
        wanted = self._begun + 1
        self._stirred.set()
        async with self._turn:
            await self._turn.wait_for(lambda: self._told >= wanted)

    async def _follow(self) -> None:
        """Listen before reading, on every connection: between the two nothing can be missed."""
        async with connected(database_now(self._dsn), "gpu-gateway records") as connection:
            connection.add_termination_listener(lambda _: self._stirred.set())
            await connection.add_listener(CHANNEL, lambda *_: self._stirred.set())
            while True:
                self._stirred.clear()
                await self._read(connection)
                self._waits = self._new_waits()
                await self._quiet(connection)
                await asyncio.sleep(self._pace.settle.total_seconds())

    async def _read(self, connection: "Connection[asyncpg.Record]") -> None:
        self._begun += 1
        snapshot = await read_snapshot(connection)
        held = self._held
        records = renewed(held.records if held else None, snapshot.records)
        self._held = Snapshot(records, snapshot.skipped)
        if self._held == held:
            self._listing.heard()
        else:
            self._listing.listed([Item(key=KEY, subject=KEY, record=records), *snapshot.skipped])
        async with self._turn:
            self._told = self._begun
            self._turn.notify_all()

    async def _quiet(self, connection: "Connection[asyncpg.Record]") -> None:
        """Wait for a change, the connection's end or the next resync, and see meanwhile that it lives.

        A peer that went mute raises nothing by itself: no error, no end, only no notifications.
        """
        for _ in range(self._pace.resync // self._pace.ping):
            if await _happens(self._stirred, self._pace.ping):
                return
            await connection.fetchval("SELECT 1", timeout=self._pace.ping_limit.total_seconds())
            self._listing.heard()

    def _new_waits(self) -> Iterator[float]:
        return pauses(self._pace.first_pause, self._pace.longest_pause)


async def _happens(event: asyncio.Event, within: timedelta) -> bool:
    try:
        async with asyncio.timeout(within.total_seconds()):
            return await event.wait()
    except TimeoutError:
        return False
