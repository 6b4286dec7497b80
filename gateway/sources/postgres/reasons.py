"""Why work waits, as the platform's Postgres keeps it: the recorder writes it, the API reads it."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TypeVar

import asyncpg
from asyncpg import Connection

from gateway.fleet.pending.reason import KeptReason, ReasonKey, ReasonNews, Reasons, ReasonsAsked, Sighting
from gateway.sources.postgres.connection import LIMITS, connected, database_now
from gateway.sources.postgres.reason_rows import columns, kept, keys, page
from gateway.sources.postgres.turns import Turns

R = TypeVar("R")
_AT_ONCE = 1_000
_LOCK = 0x72656173
"""One recorder at a time: what two write at once would wait for each other for ever."""

# An older telling changes no text; a reason that was resolved and is said again holds again.
_SEEN = """
INSERT INTO pending_reason AS kept (cluster, subject, said, namespace, pod_name, controller, code, message,
                                    scheduler, total_nodes, parts, first_seen, last_seen)
SELECT cluster, subject, said, namespace, pod_name, controller, code, message, scheduler, total_nodes,
       parts::jsonb, first_seen, last_seen
  FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
              $9::text[], $10::int[], $11::text[], $12::timestamptz[], $13::timestamptz[])
       AS told (cluster, subject, said, namespace, pod_name, controller, code, message, scheduler,
                total_nodes, parts, first_seen, last_seen)
ON CONFLICT (cluster, subject, said) DO UPDATE SET
    controller = coalesce(excluded.controller, kept.controller),
    message = CASE WHEN excluded.last_seen >= kept.last_seen THEN excluded.message ELSE kept.message END,
    parts = CASE WHEN excluded.last_seen >= kept.last_seen THEN excluded.parts ELSE kept.parts END,
    total_nodes = CASE WHEN excluded.last_seen >= kept.last_seen
                       THEN excluded.total_nodes ELSE kept.total_nodes END,
    first_seen = least(kept.first_seen, excluded.first_seen),
    last_seen = greatest(kept.last_seen, excluded.last_seen),
    resolved_at = CASE WHEN kept.resolved_at < excluded.last_seen THEN NULL ELSE kept.resolved_at END
"""
_COUNTED = """
INSERT INTO reason_event AS kept (cluster, subject, said, event, count)
SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::int[])
ON CONFLICT (cluster, subject, said, event) DO UPDATE SET count = greatest(kept.count, excluded.count)
"""
_OVER = """
UPDATE pending_reason AS kept SET resolved_at = $4
  FROM unnest($1::text[], $2::text[], $3::bytea[]) AS told (cluster, subject, said)
 WHERE (kept.cluster, kept.subject, kept.said) = (told.cluster, told.subject, told.said)
   AND kept.resolved_at IS NULL
"""
_FORGET = "DELETE FROM pending_reason WHERE resolved_at < $1"
_OPEN = """
SELECT cluster, subject, said, namespace, pod_name, controller, code, scheduler, last_seen
  FROM pending_reason WHERE resolved_at IS NULL
"""
# Each way of asking has a statement of its own, for which there is an index.
_PAGE = """
SELECT asked.place, counted.total, reason.*
  FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::int[])
       AS asked (place, cluster, namespaces, subjects, before, most)
 CROSS JOIN LATERAL (
       SELECT count(*) AS total FROM pending_reason AS kept
        WHERE kept.cluster = asked.cluster AND :which) AS counted
  LEFT JOIN LATERAL (
       SELECT kept.*, (SELECT least(greatest(1, sum(event.count)), 2147483647) FROM reason_event AS event
                        WHERE (event.cluster, event.subject, event.said)
                              = (kept.cluster, kept.subject, kept.said)) AS count
         FROM pending_reason AS kept
        WHERE kept.cluster = asked.cluster AND kept.id < asked.before AND :which
        ORDER BY kept.id DESC LIMIT asked.most) AS reason ON true
 ORDER BY asked.place, reason.id DESC
"""
_ALL = _PAGE.replace(":which", "true")
_OF_NAMESPACES = _PAGE.replace(":which", "kept.namespace = ANY (asked.namespaces::text[])")
_OF_SUBJECTS = _PAGE.replace(
    ":which",
    "kept.subject = ANY (asked.subjects::text[])"
    " AND (asked.namespaces IS NULL OR kept.namespace = ANY (asked.namespaces::text[]))",
)
_NEWEST = 2**63 - 1


class PostgresReasons:
    """The kept reasons."""

    def __init__(self, dsn: Callable[[], str]) -> None:
        self._dsn = dsn
        self._turns = Turns()

    async def keep(self, news: ReasonNews) -> Sequence[KeptReason]:
        """Write what is new, and read which reasons are not resolved."""
        database = database_now(self._dsn)
        async with (
            connected(database, "gpu-gateway recorder", **LIMITS) as connection,
            connection.transaction(),
        ):
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
            await _write(connection, news)
            return [kept(row) for row in await connection.fetch(_OPEN)]

    async def reasons(self, asked: Sequence[ReasonsAsked]) -> Sequence[Reasons]:
        """A page for each that is asked, in the same order."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(asked):
            places[_statement(one)].append(place)
        pages: dict[int, Reasons] = {}
        async with self._turns.connected(database_now(self._dsn), "gpu-gateway reasons") as connection:
            for statement, those in places.items():
                rows = await connection.fetch(statement, those, *_asking([asked[one] for one in those]))
                by_place = groupby(rows, key=lambda row: row["place"])
                pages |= {place: page(list(shown)) for place, shown in by_place}
        return [pages[place] for place in range(len(asked))]


def _statement(asked: ReasonsAsked) -> str:
    if asked.subjects is not None:
        return _OF_SUBJECTS
    return _ALL if asked.namespaces is None else _OF_NAMESPACES


def _asking(asked: Sequence[ReasonsAsked]) -> list[list[object]]:
    return [
        [one.cluster for one in asked],
        [_array(one.namespaces) for one in asked],
        [_array(one.subjects) for one in asked],
        [_NEWEST if one.before is None else one.before for one in asked],
        [one.limit for one in asked],
    ]


async def _write(connection: "Connection[asyncpg.Record]", news: ReasonNews) -> None:
    for reasons in _portions(_newest(news.seen)):
        await connection.execute(_SEEN, *columns(reasons))
    for counted in _portions([sighting for sighting in news.seen if sighting.origin]):
        await connection.execute(
            _COUNTED,
            *keys([sighting.key for sighting in counted]),
            [sighting.origin for sighting in counted],
            [sighting.count for sighting in counted],
        )
    if news.over:
        await connection.execute(_OVER, *keys(news.over), news.at)
    await connection.execute(_FORGET, news.forget)


def _portions(rows: Sequence[R]) -> Iterator[Sequence[R]]:
    """So many at a time that even a slow database is done before its answer is given up."""
    return (rows[start : start + _AT_ONCE] for start in range(0, len(rows), _AT_ONCE))


def _newest(seen: Sequence[Sighting]) -> list[tuple[Sighting, Sighting]]:
    """Of each reason what was said last, and what was said first."""
    by_key: dict[ReasonKey, list[Sighting]] = {}
    for sighting in seen:
        by_key.setdefault(sighting.key, []).append(sighting)
    return [
        (max(said, key=lambda one: one.last_seen), min(said, key=lambda one: one.first_seen))
        for said in by_key.values()
    ]


def _array(words: Sequence[str] | None) -> str | None:
    """A list as Postgres writes one, for lists of lists are all of one length; it knows no NUL."""
    if words is None:
        return None
    quoted = (word.replace("\\", "\\\\").replace('"', '\\"').replace("\x00", "\ufffd") for word in words)
    return "{" + ",".join(f'"{word}"' for word in quoted) + "}"
