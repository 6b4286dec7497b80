"""A replica of the gateway as far as the records go: it reads them, and writes what is asked for."""

from contextlib import asynccontextmanager
from dataclasses import dataclass

from gateway.fleet.change import Once, Order
from gateway.sources.postgres.orders.writer import PostgresWriter
from gateway.sources.postgres.records import RECORDS
from tests.fakes.feed import RecordingFeed
from tests.sources.postgres.running import running_source


@dataclass(frozen=True, slots=True, kw_only=True)
class Replica:
    """Its feed and its writer."""

    feed: RecordingFeed
    writer: PostgresWriter

    @property
    def records(self):
        return self.feed.rows[RECORDS]["records"]

    def node(self, name, cluster="fleet"):
        return self.records.nodes[cluster, name]

    async def ask(self, change, *, actor="ada", key=None, fingerprint=b"1"):
        """What comes of a change; with a key at most once."""
        once = None if key is None else Once(key=key, fingerprint=fingerprint.ljust(32))
        return await self.writer.write(Order(change=change, actor=actor, once=once))


@asynccontextmanager
async def running_replica(dsn):
    """A replica that has read the records once."""
    async with running_source(dsn) as (source, feed):
        await feed.until(lambda: RECORDS in feed.rows)
        yield Replica(feed=feed, writer=PostgresWriter(lambda: dsn, source))
