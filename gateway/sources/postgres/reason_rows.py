"""What is kept of why work waits, as rows of its table."""

from collections.abc import Sequence

import asyncpg
import msgspec

from gateway.fleet.pending.reason import KeptReason, PendingReason, ReasonKey, Reasons, Sighting
from gateway.fleet.reasons.reason import PendingCode, PendingPart


def columns(reasons: Sequence[tuple[Sighting, Sighting]]) -> list[list[object]]:
    """What is written of reasons, column by column: of each what was said last, and what was said first."""
    last = [one for one, _ in reasons]
    return [
        *keys([one.key for one in last]),
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


def keys(told: Sequence[ReasonKey]) -> list[list[object]]:
    """What tells reasons apart, column by column."""
    return [[key.cluster for key in told], [key.subject for key in told], [key.said for key in told]]


def kept(row: asyncpg.Record) -> KeptReason:
    """One that is not resolved."""
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


def page(rows: Sequence[asyncpg.Record]) -> Reasons:
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
