"""Reads who changed which field of a node, as the database wrote it down."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import asyncpg
import msgspec
from asyncpg import Connection

from gateway.fleet.desired import MigLayout
from gateway.fleet.history import FieldChange, History, HistoryAsked
from gateway.fleet.input_form import input_form
from gateway.fleet.planned_node import AGAIN
from gateway.sources.postgres.roles import writer_of

_QUERY = """
SELECT asked.place, counted.total, change.*
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::int[])
       WITH ORDINALITY AS asked (cluster, node, before, most, place)
 CROSS JOIN LATERAL (
       SELECT count(*) AS total FROM field_change
        WHERE thing = 'node_record' AND key = ARRAY[asked.cluster, asked.node]) AS counted
  LEFT JOIN LATERAL (
       SELECT id, field, before, after, writer, actor, generation, at FROM field_change
        WHERE thing = 'node_record' AND key = ARRAY[asked.cluster, asked.node]
          AND (asked.before IS NULL OR id < asked.before)
        ORDER BY id DESC LIMIT asked.most) AS change ON true
 ORDER BY asked.place, change.id DESC
"""
_FIELDS = {
    "target": "target",
    "tenant_id": "tenant",
    "claimed_cards": "claimed.cards",
    "claimed_gpu_type": "claimed.gpuType",
    "desired_cordoned": "desired.cordoned",
    "desired_cordon_reason": "desired.cordonReason",
    "desired_layout": "desired.migLayout",
    "desired_uid": "desired.nodeUid",
    "desired_acknowledged": "desired.acknowledgedWorkloads",
    "desired_retried": AGAIN,
    "observed_phase": "observed.phase",
    "observed_generation": "observed.generation",
    "observed_layout_converged": "observed.layoutConverged",
    "observed_message": "observed.message",
    "observed_blockers": "observed.blockers",
    "observed_progress": "observed.progress",
    "health_healthy": "reportedHealth.healthy",
    "health_reasons": "reportedHealth.reasons",
}


async def read_history(
    connection: "Connection[asyncpg.Record]", asked: Sequence[HistoryAsked]
) -> list[History]:
    """A page for each node that is asked about, in the same order."""
    rows = await connection.fetch(
        _QUERY,
        [one.cluster for one in asked],
        [one.node for one in asked],
        [one.before for one in asked],
        [one.limit for one in asked],
    )
    return [_history(list(page)) for _, page in groupby(rows, key=lambda row: row["place"])]


def _history(rows: Sequence[asyncpg.Record]) -> History:
    """One page; a node without any change has one row, that only counts."""
    changes = tuple(_change(row) for row in rows if row["id"] is not None)
    return History(changes=changes, total=rows[0]["total"])


def _change(row: asyncpg.Record) -> FieldChange:
    before, after = _told(row)
    return FieldChange(
        number=row["id"],
        field=_FIELDS.get(row["field"], row["field"]),
        writer=writer_of(row["writer"]),
        actor=row["actor"],
        before=before,
        after=after,
        at=row["at"],
        generation=row["generation"],
    )


def _told(row: asyncpg.Record) -> tuple[str | None, str | None]:
    if row["field"] == "desired_retried":
        # The column holds the last such generation; what changed is that there is one more.
        return str(row["generation"] - 1), str(row["generation"])
    return _text(row["field"], row["before"]), _text(row["field"], row["after"])


def _text(field: str, stored: str | None) -> str | None:
    if stored is None:
        return None
    value: Any = msgspec.json.decode(stored)
    return input_form(_layout(value) if field == "desired_layout" else value)


def _layout(value: object) -> object:
    """A layout in the order in which it is asked for; whatever else stands there, as it stands."""
    try:
        return msgspec.convert(value, MigLayout)
    except msgspec.ValidationError:
        return value
