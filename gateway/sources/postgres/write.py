"""Write the platform's records: an import makes the tables say what a file says, in one transaction."""

import asyncpg
from asyncpg import Connection

from gateway.errors import Conflict
from gateway.sources.postgres.connection import connected, read_dsn
from gateway.sources.postgres.import_wishes import Wished, ask_wishes
from gateway.sources.postgres.platform_file import PlatformFile
from gateway.sources.postgres.sqlstates import IN_CHANGE
from gateway.sources.postgres.tables import TABLES, Action, Change, Rows, Table, differences, rows_of


async def import_platform(
    dsn: str, file: PlatformFile, *, dry_run: bool = False, prune: bool = False
) -> list[Change | Wished]:
    """Make the records say what the file says, and tell what that changes; the second time it is nothing.

    What the file does not name stays, unless it is to be pruned. A dry run only tells.
    """
    async with connected(read_dsn(dsn), "gpu-gateway import") as connection:
        try:
            async with connection.transaction(isolation="repeatable_read", readonly=dry_run):
                if not dry_run:
                    await _keep_others_out(connection)
                changes = list(differences(await _held(connection), rows_of(file), prune=prune))
                for change in () if dry_run else changes:
                    await _write(connection, change)
                return [*changes, *await ask_wishes(connection, file, dry_run=dry_run)]
        except asyncpg.LockNotAvailableError:
            raise Conflict("somebody else is changing the records: try again when they are done") from None


async def _keep_others_out(connection: "Connection[asyncpg.Record]") -> None:
    """Before the first read: that is when the transaction chooses what it sees. Readers go on."""
    await connection.execute("SET LOCAL lock_timeout = '3s'")
    await connection.execute("SET LOCAL gateway.actor = 'gpu-gateway import'")
    await connection.execute(
        f"LOCK TABLE {', '.join(table.name for table in TABLES)} IN SHARE ROW EXCLUSIVE MODE"
    )


async def _held(connection: "Connection[asyncpg.Record]") -> Rows:
    return {table.name: await _rows(connection, table) for table in TABLES}


async def _rows(
    connection: "Connection[asyncpg.Record]", table: Table
) -> dict[tuple[object, ...], dict[str, object]]:
    columns = ", ".join((*table.key, *table.values))
    return {
        tuple(row[column] for column in table.key): {column: row[column] for column in table.values}
        for row in await connection.fetch(f"SELECT {columns} FROM {table.name}")  # noqa: S608 - the names are our tables'
    }


async def _write(connection: "Connection[asyncpg.Record]", change: Change) -> None:
    try:
        await connection.execute(_statement(change), *change.after.values(), *change.key)
    except asyncpg.IntegrityConstraintViolationError as error:
        raise Conflict(
            f"cannot be written: {change}\n{error}: {error.detail or 'correct the file'}"
        ) from None
    except asyncpg.PostgresError as error:
        if error.sqlstate != IN_CHANGE:
            raise
        raise Conflict(f"cannot be written: {change}\n{error}") from None


def _statement(change: Change) -> str:
    """The statement whose parameters are the new values, then the key."""
    table, columns = change.table, tuple(change.after)
    where = " AND ".join(f"{key} = ${len(columns) + place}" for place, key in enumerate(table.key, 1))
    if change.action is Action.REMOVED:
        return f"DELETE FROM {table.name} WHERE {where}"  # noqa: S608 - the names are our tables'
    sets = ", ".join(f"{column} = ${place}" for place, column in enumerate(columns, 1))
    if change.action is Action.CHANGED:
        return f"UPDATE {table.name} SET {sets} WHERE {where}"  # noqa: S608 - the names are our tables'
    named = (*columns, *table.key)
    places = ", ".join(f"${place}" for place in range(1, len(named) + 1))
    # A namespace is there already where its workspace has just taken it along to another cluster.
    conflict = f"UPDATE SET {sets}" if sets else "NOTHING"
    into = f"INSERT INTO {table.name} ({', '.join(named)}) VALUES ({places})"  # noqa: S608 - the names are our tables'
    return f"{into} ON CONFLICT ({', '.join(table.key)}) DO {conflict}"
