"""Alerts as the platform's Postgres keeps them: over restarts, and one truth for all replicas."""

from collections.abc import Callable, Sequence

import asyncpg
import msgspec
from asyncpg import Connection

from gateway.fleet.alert import MOST_KEPT, REMEMBERED, Alert, Finding, News
from gateway.sources.postgres.connection import LIMITS, connected, database_now

_LOCK = 0x616C6572
"""One replica at a time: what two write at once would wait for each other for ever."""

# Found again after it was over, it begins anew; else what either replica saw first and last holds.
_UPSERT = """
INSERT INTO alert AS kept (id, finding, first_seen, last_seen)
SELECT id, finding::json, first_seen, last_seen
  FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[])
       AS told (id, finding, first_seen, last_seen)
ON CONFLICT (id) DO UPDATE SET
    finding = CASE WHEN excluded.last_seen >= kept.last_seen THEN excluded.finding ELSE kept.finding END,
    first_seen = CASE WHEN kept.resolved_at IS NULL
                      THEN least(kept.first_seen, excluded.first_seen) ELSE excluded.first_seen END,
    last_seen = greatest(kept.last_seen, excluded.last_seen),
    resolved_at = NULL
WHERE kept.resolved_at IS NULL OR kept.resolved_at < excluded.last_seen
"""
_SEEN = """
UPDATE alert SET last_seen = greatest(alert.last_seen, told.last_seen)
  FROM unnest($1::text[], $2::timestamptz[]) AS told (id, last_seen)
 WHERE alert.id = told.id AND resolved_at IS NULL
"""
_GONE = """
UPDATE alert SET resolved_at = $2 WHERE id = ANY ($1::text[]) AND resolved_at IS NULL AND last_seen <= $3
"""
_FORGET = "DELETE FROM alert WHERE resolved_at < $1"
_KEPT = """
SELECT id, finding, first_seen, last_seen, resolved_at FROM alert
 ORDER BY resolved_at DESC NULLS FIRST LIMIT $1
"""


class PostgresAlerts:
    """The table of alerts."""

    def __init__(self, dsn: Callable[[], str]) -> None:
        self._dsn = dsn

    async def exchange(self, news: News) -> Sequence[Alert]:
        """Write what is new, and read all that are kept."""
        database = database_now(self._dsn)
        async with (
            connected(database, "gpu-gateway alerts", **LIMITS) as connection,
            connection.transaction(),
        ):
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
            await _write(connection, news)
            rows = await connection.fetch(_KEPT, 2 * MOST_KEPT)
        return [alert for row in rows if (alert := _read(row))]


async def _write(connection: "Connection[asyncpg.Record]", news: News) -> None:
    if news.changed:
        await connection.execute(
            _UPSERT,
            [alert.id for alert in news.changed],
            [msgspec.json.encode(alert.finding).decode() for alert in news.changed],
            [alert.first_seen for alert in news.changed],
            [alert.last_seen for alert in news.changed],
        )
    if news.seen:
        await connection.execute(
            _SEEN, [alert.id for alert in news.seen], [alert.last_seen for alert in news.seen]
        )
    if news.gone:
        await connection.execute(_GONE, list(news.gone), news.at, news.at - news.holds)
    await connection.execute(_FORGET, news.at - REMEMBERED)


def _read(row: asyncpg.Record) -> Alert | None:
    """One row; None where another release found what this one does not know."""
    try:
        finding = msgspec.json.decode(row["finding"], type=Finding)
    except msgspec.DecodeError:
        return None
    return Alert(
        id=row["id"],
        finding=finding,
        first_seen=row["first_seen"],
        last_seen=row["last_seen"],
        resolved_at=row["resolved_at"],
    )
