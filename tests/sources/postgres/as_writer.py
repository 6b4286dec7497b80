"""Sessions of the four writers, each by its own login role."""

from gateway.fleet.history import Writer
from gateway.sources.postgres.roles import ROLES
from tests.sources.postgres.running import open_session

API, RECONCILER, HEALTH, RECORDER = (
    ROLES[writer] for writer in (Writer.API, Writer.RECONCILER, Writer.HEALTH_MONITOR, Writer.RECORDER)
)


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
