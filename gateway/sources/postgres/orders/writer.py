"""Writes what callers ask for, and goes on when this replica's readers see it."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

import asyncpg
from asyncpg import Connection

from gateway.errors import SourceError, SourceUnavailable, System
from gateway.fleet.change import Order, Outcome, Written
from gateway.fleet.history import History, HistoryAsked
from gateway.sources.postgres.connection import LIMITS, LOST, Database, database_now
from gateway.sources.postgres.field_changes import read_history
from gateway.sources.postgres.orders.make import make
from gateway.sources.postgres.orders.once import found
from gateway.sources.postgres.turns import Turns

_SEEN_WITHIN_SECONDS = 2.0


class Reader(Protocol):
    """Who keeps this replica's records fresh."""

    async def caught_up(self) -> None:
        """Return once what was read after this call is in the fleet."""


class PostgresWriter:
    """The platform's records, as the API's role writes them."""

    def __init__(self, dsn: Callable[[], str], reader: Reader, turns: Turns | None = None) -> None:
        self._dsn = dsn
        self._reader = reader
        self._turns = turns or Turns()

    async def write(self, order: Order) -> Outcome:
        """Make one change in one transaction, and wait until this replica reads it."""
        database = database_now(self._dsn)
        async with self._turns.connected(database, "gpu-gateway orders", **LIMITS) as connection:
            outcome = await _transacted(connection, database, order)
        if isinstance(outcome, Written):
            await self._seen()
        return outcome

    async def repeated(self, order: Order) -> Outcome | None:
        """What its key came to before, or the Problem that it was for another input; None: it is new."""
        if order.once is None:
            return None
        async with self._turns.connected(database_now(self._dsn), "gpu-gateway orders") as connection:
            return await found(connection, order)

    async def history(self, asked: Sequence[HistoryAsked]) -> Sequence[History]:
        """A page for each node that is asked about, in the same order, by one question."""
        async with self._turns.connected(database_now(self._dsn), "gpu-gateway history") as connection:
            return await read_history(connection, asked)

    async def _seen(self) -> None:
        """It is written, whether this replica reads it soon or not."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SEEN_WITHIN_SECONDS):
                await self._reader.caught_up()


async def _transacted(connection: "Connection[asyncpg.Record]", database: Database, order: Order) -> Outcome:
    transaction = connection.transaction()
    await transaction.start()
    outcome = await make(connection, order)
    if not isinstance(outcome, Written):
        await transaction.rollback()
        return outcome
    try:
        await transaction.commit()
    except LOST as error:
        raise _lost(database, error) from error
    return outcome


def _lost(database: Database, error: BaseException) -> SourceError:
    said = str(error) or type(error).__name__
    return SourceUnavailable(
        System.PLATFORM,
        f"Postgres {database.name}: {said}; whether the change was made is not known:"
        " ask again with the same idempotencyKey, or look first",
    )
