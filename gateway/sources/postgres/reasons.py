"""Why work waits, as the platform's Postgres keeps it: the recorder writes it, the API reads it."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import groupby

import asyncpg
import msgspec
from asyncpg import Connection

from gateway.fleet.pending.reason import (
    KeptReason,
    PendingReason,
    ReasonKey,
    ReasonNews,
    Reasons,
    ReasonsAsked,
    Sighting,
)
from gateway.fleet.reasons.reason import PendingCode, PendingPart
from gateway.sources.postgres.connection import LIMITS, connected, database_now
from gateway.sources.postgres.turns import Turns

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
       SELECT kept.*, greatest(1, (SELECT least(sum(event.count), 2147483647) FROM reason_event AS event
                                    WHERE (event.cluster, event.subject, event.said)
                                          = (kept.cluster, kept.subject, kept.said))) AS count
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
            return [_kept(row) for row in await connection.fetch(_OPEN)]

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
                pages |= {place: _page(list(page)) for place, page in by_place}
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
    if news.seen:
        await connection.execute(_SEEN, *_columns(_newest(news.seen)))
        counted = [sighting for sighting in news.seen if sighting.origin]
        await connection.execute(
            _COUNTED,
            *_keys([sighting.key for sighting in counted]),
            [sighting.origin for sighting in counted],
            [sighting.count for sighting in counted],
        )
    if news.over:
        await connection.execute(_OVER, *_keys(news.over), news.at)
    await connection.execute(_FORGET, news.forget)


def _newest(seen: Sequence[Sighting]) -> list[tuple[Sighting, Sighting]]:
    """Of each reason what was said last, and what was said first."""
    by_key: dict[ReasonKey, list[Sighting]] = {}
    for sighting in seen:
        by_key.setdefault(sighting.key, []).append(sighting)
    return [
        (max(said, key=lambda one: one.last_seen), min(said, key=lambda one: one.first_seen))
        for said in by_key.values()
    ]


def _columns(reasons: Sequence[tuple[Sighting, Sighting]]) -> list[list[object]]:
    last = [one for one, _ in reasons]
    return [
        *_keys([one.key for one in last]),
        [one.namespace for one in last],
        [one.pod_name for one in last],
        [one.controller for one in last],
        [one.code.value for one in last],
        [one.message for one in last],
        [one.scheduler for one in last],
        [one.total_nodes for one in last],
        [msgspec.json.encode(one.parts).decode() for one in last],
        [first.first_seen for _, first in reasons],
        [one.last_seen for one in last],
    ]


def _keys(keys: Sequence[ReasonKey]) -> list[list[object]]:
    return [[key.cluster for key in keys], [key.subject for key in keys], [key.said for key in keys]]


def _array(words: Sequence[str] | None) -> str | None:
    """A list as Postgres writes one: a parameter cannot be a list of lists of different lengths."""
    if words is None:
        return None
    quoted = (word.replace("\\", "\\\\").replace('"', '\\"') for word in words)
    return "{" + ",".join(f'"{word}"' for word in quoted) + "}"


def _kept(row: asyncpg.Record) -> KeptReason:
    return KeptReason(
        key=_key(row),
        namespace=row["namespace"],
        pod_name=row["pod_name"],
        controller=row["controller"],
        code=_code(row["code"]),
        scheduler=row["scheduler"],
        last_seen=row["last_seen"],
    )


def _key(row: asyncpg.Record) -> ReasonKey:
    return ReasonKey(cluster=row["cluster"], subject=row["subject"], said=row["said"])


def _page(rows: Sequence[asyncpg.Record]) -> Reasons:
    """One page; where there is nothing there is one row, that only counts."""
    return Reasons(
        reasons=tuple(_reason(row) for row in rows if row["id"] is not None), total=rows[0]["total"]
    )


def _reason(row: asyncpg.Record) -> PendingReason:
    return PendingReason(
        number=row["id"],
        key=_key(row),
        namespace=row["namespace"],
        pod_name=row["pod_name"],
        controller=row["controller"],
        code=_code(row["code"]),
        message=row["message"],
        scheduler=row["scheduler"],
        first_seen=row["first_seen"],
        last_seen=row["last_seen"],
        count=row["count"],
        total_nodes=row["total_nodes"],
        parts=_parts(row["parts"]),
        resolved_at=row["resolved_at"],
    )


def _code(word: str) -> PendingCode:
    """A code that another release wrote is OTHER here."""
    return PendingCode.__members__.get(word, PendingCode.OTHER)


def _parts(text: str) -> tuple[PendingPart, ...]:
    try:
        return msgspec.json.decode(text, type=tuple[PendingPart, ...])
    except msgspec.ValidationError:
        return ()
