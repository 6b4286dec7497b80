"""Bring a database's tables to what this release reads and writes."""

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

import asyncpg
from asyncpg import Connection

from gateway.errors import Conflict
from gateway.sources.postgres.connection import SCHEMA, connected, read_dsn

_LOCK = 0x67707567
"""Whoever migrates holds this advisory lock; any number that nobody else uses."""

_PATIENCE_SECONDS = 600.0


class Migration(NamedTuple):
    """One step, as it is shipped."""

    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """Tells whether the file is still what was applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def shipped_migrations() -> list[Migration]:
    """All steps of this release, in their order."""
    folder = files("gateway.sources.postgres").joinpath("migrations")
    found = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name
    )
    return [Migration(file.name.removesuffix(".sql"), file.read_text(encoding="utf-8")) for file in found]


async def migrate(dsn: str, shipped: Sequence[Migration] | None = None) -> list[str]:
    """Apply what is missing, and say what that was; who starts meanwhile waits and finds it done."""
    steps = shipped_migrations() if shipped is None else shipped
    async with connected(read_dsn(dsn), "gpu-gateway migrate") as connection:
        await connection.execute("SELECT pg_advisory_lock($1)", _LOCK, timeout=_PATIENCE_SECONDS)
        await _remember_migrations(connection)
        missing = _missing(
            steps, await connection.fetch("SELECT name, checksum FROM migration ORDER BY name")
        )
        for step in missing:
            async with connection.transaction():
                await connection.execute(step.sql, timeout=_PATIENCE_SECONDS)
                await connection.execute("INSERT INTO migration VALUES ($1, $2)", step.name, step.checksum)
        return [step.name for step in missing]


async def missing_migrations(connection: "Connection[asyncpg.Record]") -> list[str]:
    """What this release would apply, by name."""
    steps = shipped_migrations()
    if await connection.fetchval("SELECT to_regclass('migration')") is None:
        return [step.name for step in steps]
    applied = await connection.fetch("SELECT name, checksum FROM migration ORDER BY name")
    return [step.name for step in _missing(steps, applied)]


async def _remember_migrations(connection: "Connection[asyncpg.Record]") -> None:
    """Make the schema and its memory; asked first, since IF NOT EXISTS wants the right to create."""
    if await connection.fetchval("SELECT to_regnamespace($1)", SCHEMA) is None:
        await connection.execute(f"CREATE SCHEMA {SCHEMA}")
    if await connection.fetchval("SELECT to_regclass('migration')") is None:
        await connection.execute(
            "CREATE TABLE migration (name text PRIMARY KEY, checksum text NOT NULL,"
            " applied_at timestamptz NOT NULL DEFAULT now())"
        )


def _missing(steps: Sequence[Migration], applied: Sequence[asyncpg.Record]) -> Sequence[Migration]:
    """The steps after the applied ones, which must be the same and in the same order."""
    known = {step.name: step for step in steps}
    for place, done in enumerate(applied):
        if done["name"] not in known:
            raise Conflict(
                f"the database is newer than this release: it has {done['name']}; upgrade the gateway"
            )
        if steps[place].name != done["name"]:
            raise Conflict(
                f"{done['name']} was applied before {steps[place].name}: restore the shipped order"
            )
        if steps[place].checksum != done["checksum"]:
            raise Conflict(f"{done['name']} is not the file that was applied: restore it, and add a new one")
    return steps[len(applied) :]
