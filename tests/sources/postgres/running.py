"""A source that runs, and sessions beside it."""

import asyncio
from contextlib import asynccontextmanager
from datetime import timedelta

import asyncpg

from gateway.fleet.clock import utc_now
from gateway.sources.postgres.records import Pace, PlatformSource
from tests.fakes.feed import RecordingFeed

# Nothing is read again by itself, so what is seen was told.
QUICK = Pace(
    resync=timedelta(hours=1),
    ping=timedelta(milliseconds=200),
    ping_limit=timedelta(milliseconds=300),
    settle=timedelta(0),
    first_pause=timedelta(milliseconds=20),
    longest_pause=timedelta(milliseconds=50),
)


@asynccontextmanager
async def open_session(dsn):
    connection = await asyncpg.connect(
        dsn, timeout=5, command_timeout=10, server_settings={"search_path": "gateway"}
    )
    try:
        yield connection
    finally:
        await connection.close(timeout=5)


@asynccontextmanager
async def following(dsn, pace=QUICK):
    """The feed of a source that runs."""
    async with running_source(dsn, pace) as (_, feed):
        yield feed


@asynccontextmanager
async def running_source(dsn, pace=QUICK):
    """A source that runs, and its feed."""
    feed = RecordingFeed()
    source = PlatformSource(lambda: dsn, feed, utc_now, pace)
    running = asyncio.create_task(source.run())
    try:
        yield source, feed
    finally:
        running.cancel()
        async with asyncio.timeout(20):
            await asyncio.gather(running, return_exceptions=True)
