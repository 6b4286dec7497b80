"""Tries once whether the platform's Postgres can be used: reach, TLS, tables, rights and notifications."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import TypeAlias

import asyncpg
from asyncpg import Connection

from gateway.errors import Conflict, SourceError
from gateway.fleet.history import Writer
from gateway.sources.postgres.connection import SCHEMA, Database, connected, read_dsn, source_error
from gateway.sources.postgres.migrate import missing_migrations
from gateway.sources.postgres.roles import ROLES
from gateway.sources.trial import Outcome, Trial, failed, fine

_CHANNEL = "gpu_gateway_check"
_NOTIFIED_SECONDS = 2.0
# What a writer needs is what the migrations gave its role: nothing else has to know it.
_RIGHTS = """
WITH kept AS (
    SELECT oid, relname AS name FROM pg_class WHERE relnamespace = to_regnamespace($2) AND relkind = 'r'
), each AS (
    SELECT name, privilege <> 'SELECT' AS writes, has_column_privilege(oid, attnum, privilege) AS held,
           (SELECT bool_or(has_column_privilege(role, oid, attnum, privilege))
              FROM unnest($1::text[]) AS role) AS needed
      FROM kept JOIN pg_attribute ON attrelid = oid AND attnum > 0 AND NOT attisdropped,
           unnest('{SELECT,INSERT,UPDATE}'::text[]) AS privilege
    UNION ALL
    SELECT name, true, has_table_privilege(oid, 'DELETE'),
           (SELECT bool_or(has_table_privilege(role, oid, 'DELETE')) FROM unnest($1::text[]) AS role)
      FROM kept
)
SELECT name, bool_or(needed AND NOT held) AS lacking, bool_or(writes AND held AND NOT needed) AS beyond
  FROM each GROUP BY name ORDER BY name
"""
Held: TypeAlias = "Connection[asyncpg.Record]"


async def probe(dsn: str, writers: Sequence[Writer]) -> AsyncGenerator[Trial, None]:
    """Connect as whoever these writers log in as, and try one thing after another."""
    database = read_dsn(dsn)
    try:
        async with connected(database, "gpu-gateway check-config") as connection:
            yield fine("reach", f"PostgreSQL {await connection.fetchval('SHOW server_version')}")
            yield await _encryption(connection, database)
            tables = await _tables(connection, database)
            yield tables
            if tables.outcome is Outcome.FINE:
                yield await _rights(connection, [ROLES[writer] for writer in writers])
            yield await _notifications(connection)
    except SourceError as error:
        yield failed("reach", error)


async def _encryption(connection: Held, database: Database) -> Trial:
    version = await connection.fetchval("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
    if version:
        return fine("encryption", version)
    if database.is_here:
        return fine("encryption", "none, and none is needed on this machine")
    said = "none: whoever is between reads along"
    return Trial(
        what="encryption", outcome=Outcome.WARNING, said=said, fix="set sslmode=verify-full in the DSN"
    )


async def _tables(connection: Held, database: Database) -> Trial:
    usable = "SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = $1"
    if await connection.fetchval(usable, SCHEMA) is False:
        fix = f"GRANT USAGE ON SCHEMA {SCHEMA} TO {await _me(connection)}"
        return _failed("tables", f"the schema {SCHEMA} may not be used", fix)
    try:
        missing = await missing_migrations(connection)
    except Conflict as conflict:
        return _failed("tables", str(conflict), "use the release that migrated this database, or a newer one")
    except asyncpg.InsufficientPrivilegeError as error:
        fix = f"GRANT SELECT ON {SCHEMA}.migration TO {await _me(connection)}"
        return failed("tables", source_error(error, database), fix)
    if missing:
        fix = "run `gpu-gateway migrate` on this database"
        return _failed("tables", f"not migrated: it lacks {', '.join(missing)}", fix)
    return fine("tables", "up to date")


async def _rights(connection: Held, roles: Sequence[str]) -> Trial:
    rows = await connection.fetch(_RIGHTS, roles, SCHEMA)
    lacking, beyond = (", ".join(row["name"] for row in rows if row[what]) for what in ("lacking", "beyond"))
    me, needed = await _me(connection), " and ".join(roles)
    if lacking:
        grants = "; ".join(f"GRANT {role} TO {me}" for role in roles)
        fix = f"log in as {needed}, each by its own DSN" if me in ROLES.values() else grants
        return _failed("rights", f"{me} may not do all that {needed} may on {lacking}", fix)
    if beyond:
        said = f"{me} may write more than is its own: {beyond}"
        fix = f"log in as {needed}: PostgreSQL holds those to what is theirs"
        return Trial(what="rights", outcome=Outcome.WARNING, said=said, fix=fix)
    return fine("rights", f"{me} may write what is its own, and nothing else")


async def _notifications(connection: Held) -> Trial:
    """Send word to oneself: a pooler that hands out connections for a transaction loses it."""
    told = asyncio.Event()
    await connection.add_listener(_CHANNEL, lambda *_: told.set())
    await connection.execute("SELECT pg_notify($1, '')", _CHANNEL)
    try:
        async with asyncio.timeout(_NOTIFIED_SECONDS):
            await told.wait()
    except TimeoutError:
        said = "LISTEN is accepted and nothing arrives: changes are seen only at each resync"
        fix = "connect to PostgreSQL itself, or to a pooler in session mode"
        return Trial(what="LISTEN", outcome=Outcome.WARNING, said=said, fix=fix)
    return fine("LISTEN", "changes are told at once")


async def _me(connection: Held) -> str:
    name: str = await connection.fetchval("SELECT quote_ident(current_user)")
    return name


def _failed(what: str, said: str, fix: str) -> Trial:
    return Trial(what=what, outcome=Outcome.FAILED, said=said, fix=fix)
