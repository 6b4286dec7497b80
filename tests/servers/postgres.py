"""The embedded PostgreSQL as tests use it: one server for the run, and a fresh database for whoever asks."""

import importlib.metadata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from urllib.parse import urlsplit

import asyncpg

from gateway.simulator.embedded_postgres import embedded_postgres


class Postgres:
    """A running server in which databases come and go."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._numbers = count(1)

    @asynccontextmanager
    async def database(self) -> AsyncIterator[str]:
        """The DSN of a new, empty database, which is dropped afterwards."""
        name = f"test_{next(self._numbers)}"
        await self._execute(f"CREATE DATABASE {name}")
        try:
            yield urlsplit(self._dsn)._replace(path=f"/{name}").geturl()
        finally:
            await self._execute(f"DROP DATABASE {name} WITH (FORCE)")

    async def _execute(self, statement: str) -> None:
        connection = await asyncpg.connect(self._dsn, timeout=10, command_timeout=30)
        try:
            await connection.execute(statement)
        finally:
            await connection.close(timeout=5)


@asynccontextmanager
async def running_postgres() -> AsyncIterator[Postgres]:
    """A server that is ready, and is gone afterwards with all its data."""
    async with embedded_postgres() as dsn:
        yield Postgres(dsn)


def installed_version() -> str | None:
    """The release that the package carries, if it is installed."""
    try:
        return importlib.metadata.version("embedded-postgres")
    except importlib.metadata.PackageNotFoundError:
        return None
