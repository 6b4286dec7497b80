"""A bound on the connections that callers can open together: the database serves others too."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
from asyncpg import Connection

from gateway.errors import SourceUnavailable, System
from gateway.sources.postgres.connection import Database, connected

_AT_ONCE = 8
_PATIENCE_SECONDS = 5.0


class Turns:
    """Lets so many connect at once; the others stand in line, and not for ever."""

    def __init__(self, at_once: int = _AT_ONCE, patience_seconds: float = _PATIENCE_SECONDS) -> None:
        self._at_once = at_once
        self._patience_seconds = patience_seconds
        self._free = asyncio.Semaphore(at_once)

    @asynccontextmanager
    async def connected(
        self, database: Database, application_name: str, **limits: str
    ) -> AsyncIterator["Connection[asyncpg.Record]"]:
        """Hold one connection once it is this caller's turn."""
        try:
            async with asyncio.timeout(self._patience_seconds):
                await self._free.acquire()
        except TimeoutError:
            raise SourceUnavailable(
                System.PLATFORM,
                f"Postgres {database.name}: {self._at_once} at a time may ask it, and none was done"
                f" within {self._patience_seconds:g} s: ask again later",
            ) from None
        try:
            async with connected(database, application_name, **limits) as connection:
                yield connection
        finally:
            self._free.release()
