"""Sessions of the four writers, each by its own login role."""

import asyncio

from gateway.fleet.history import Writer
from gateway.sources.postgres.roles import ROLES
from tests.sources.postgres.running import open_session

API, RECONCILER, HEALTH, RECORDER = (
    ROLES[writer] for writer in (Writer.API, Writer.RECONCILER, Writer.HEALTH_MONITOR, Writer.RECORDER)
)

_WAITING = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


def dsn_of(role, dsn):
    """The same database, as that role."""
    return dsn.replace("postgres@", f"{role}@")


def session_of(role, dsn):
    """A session of that role."""
    return open_session(dsn_of(role, dsn))


async def execute(dsn, *statements, role="postgres"):
    """Do this in a session of its own."""
    async with session_of(role, dsn) as session:
        for statement in statements:
            await session.execute(statement)


async def the_node(dsn):
    """The record of the only node."""
    async with open_session(dsn) as session:
        return await session.fetchrow("SELECT * FROM node_record")


async def a_session_waits(dsn):
    """Return once a session of this database waits for a lock of another."""
    async with open_session(dsn) as owner, asyncio.timeout(20):
        while not await owner.fetchval(_WAITING):  # noqa: ASYNC110  another process sets no event
            await asyncio.sleep(0.01)
