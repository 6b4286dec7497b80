"""Tries once whether the platform's Postgres can be used: reach, TLS, tables, rights and notifications."""

import asyncio
from collections.abc import AsyncGenerator
from typing import TypeAlias

import asyncpg
from asyncpg import Connection

from gateway.errors import Conflict, SourceError
from gateway.sources.postgres.connection import SCHEMA, Database, connected, read_dsn, source_error
from gateway.sources.postgres.migrate import missing_migrations
from gateway.sources.postgres.snapshot import TABLES
from gateway.sources.trial import Outcome, Trial, failed, fine

_CHANNEL = "gpu_gateway_check"
_NOTIFIED_SECONDS = 2.0
_NEEDED = [
    *((table, "SELECT") for table in TABLES),
    *(("alert", right) for right in ("SELECT", "INSERT", "UPDATE", "DELETE")),
]
_LACKING = """
SELECT name, string_agg(privilege, ', ') AS privileges
  FROM unnest($1::text[], $2::text[]) AS needed (name, privilege)
 WHERE NOT has_table_privilege(format('%I.%I', $3::text, name), privilege)
 GROUP BY name ORDER BY name
"""
Held: TypeAlias = "Connection[asyncpg.Record]"


async def probe(dsn: str) -> AsyncGenerator[Trial, None]:
    """Connect, and try one thing after another."""
    database = read_dsn(dsn)
    try:
        async with connected(database, "gpu-gateway check-config") as connection:
            yield fine("reach", f"PostgreSQL {await connection.fetchval('SHOW server_version')}")
            yield await _encryption(connection, database)
            tables = await _tables(connection, database)
            yield tables
            if tables.outcome is Outcome.FINE:
                yield await _rights(connection)
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


async def _rights(connection: Held) -> Trial:
    names, privileges = zip(*_NEEDED, strict=True)
    lacking = await connection.fetch(_LACKING, names, privileges, SCHEMA)
    if not lacking:
        return fine("rights", "every table may be read, and alerts be written")
    me = await _me(connection)
    fix = "; ".join(f"GRANT {row['privileges']} ON {SCHEMA}.{row['name']} TO {me}" for row in lacking)
    return _failed("rights", f"not allowed on {', '.join(row['name'] for row in lacking)}", fix)


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
