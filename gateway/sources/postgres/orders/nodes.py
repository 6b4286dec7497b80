"""Writes what is asked of a node, and who holds it: only the columns that are the API's."""

from typing import Any

import asyncpg
from asyncpg import Connection

from gateway.errors import SourceMisread, System
from gateway.fleet.change import AssignNode, NodeChange, Outcome, SetCordon, SetMigLayout, Written
from gateway.fleet.planned_node import AGAIN, generation_of, planned_node
from gateway.fleet.platform import NodeRecord
from gateway.fleet.problem import Problem
from gateway.sources.postgres.node_rows import Row, UnreadableRow, read_node, to_json

# Who assigns the same node meanwhile waits here; a refusal takes the empty record back.
_ENSURE = "INSERT INTO node_record (cluster, name) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING true"
_HELD = "SELECT * FROM node_record WHERE (cluster, name) = ($1, $2) FOR UPDATE"
_RETRY = "desired_retried = desired_generation + 1"


async def change_node(connection: "Connection[asyncpg.Record]", change: NodeChange) -> Outcome:
    """Make one change of a node's record, which nobody else changes meanwhile."""
    key = (change.cluster, change.node)
    is_new = isinstance(change, AssignNode) and await connection.fetchval(_ENSURE, *key)
    row = await connection.fetchrow(_HELD, *key)
    held = read_held(dict(row)) if row and not is_new else None
    plan = planned_node(change, held)
    if isinstance(plan, Problem):
        return plan
    if not plan:
        return Written(changes=(), generation=generation_of(held))
    sets, values = (_RETRY, ()) if plan[0].field == AGAIN else _sets(change)
    return Written(changes=plan, generation=await connection.fetchval(_update(sets), *key, *values))


def _update(sets: str) -> str:
    return f"UPDATE node_record SET {sets} WHERE (cluster, name) = ($1, $2) RETURNING desired_generation"  # noqa: S608 - our own columns


def read_held(row: Row) -> NodeRecord:
    """The record that is to be changed; one that cannot be read is not written over."""
    try:
        return read_node(row)
    except UnreadableRow as why:
        name = f"{row['cluster']}/{row['name']}"
        raise SourceMisread(System.PLATFORM, f"node_record {name}: {why}; correct it first") from why


def _sets(change: NodeChange) -> tuple[str, tuple[Any, ...]]:
    """The columns that a change sets, and their values."""
    if isinstance(change, SetCordon):
        reason = change.reason if change.cordoned else None
        return "desired_cordoned = $3, desired_cordon_reason = $4", (change.cordoned, reason)
    if isinstance(change, SetMigLayout):
        columns = "desired_layout = $3::text::jsonb, desired_uid = $4, desired_acknowledged = $5"
        if change.layout is None:
            return columns, (None, None, [])
        return columns, (to_json(change.layout), change.node_uid, sorted(change.acknowledged))
    if isinstance(change, AssignNode):
        return "target = $3, tenant_id = $4", (change.target.value, change.tenant)
    return "target = $3, tenant_id = $4", (None, None)
