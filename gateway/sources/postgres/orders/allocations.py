"""Gives cards of a type to a workspace, or takes them back."""

import asyncpg
from asyncpg import Connection

from gateway.fleet.change import Outcome, SetAllocation, Written
from gateway.fleet.planned import planned_allocation
from gateway.fleet.platform import Allocation
from gateway.fleet.problem import Problem, ProblemCode, Refused

# Where nothing is allocated yet there is no row of it to lock.
_LOCK = "SELECT true FROM workspace WHERE (tenant_id, name) = ($1, $2) FOR NO KEY UPDATE"
_HELD = """
SELECT cards, generation FROM gpu_allocation WHERE (tenant_id, workspace, gpu_type) = ($1, $2, $3) FOR UPDATE
"""
_GIVE = """
INSERT INTO gpu_allocation (tenant_id, workspace, gpu_type, cards) VALUES ($1, $2, $3, $4)
ON CONFLICT (tenant_id, workspace, gpu_type) DO UPDATE SET cards = excluded.cards RETURNING generation
"""
_TAKE_BACK = "DELETE FROM gpu_allocation WHERE (tenant_id, workspace, gpu_type) = ($1, $2, $3)"
# The database holds the tenant's sum to it; unset, it would hold nobody to anything.
_SEEN = "SELECT set_config('gateway.healthy_seen', $1, true)"


async def set_allocation(connection: "Connection[asyncpg.Record]", change: SetAllocation) -> Outcome:
    """Make an allocation what was asked for; none is no row."""
    if not await connection.fetchval(_LOCK, change.tenant, change.workspace):
        return _no_workspace(change)
    key = (change.tenant, change.workspace, change.gpu_type)
    row = await connection.fetchrow(_HELD, *key)
    held = Allocation(gpu_type=change.gpu_type, **row) if row else None
    plan = planned_allocation(change, held)
    if isinstance(plan, Problem):
        return plan
    if not plan:
        return Written(changes=(), generation=held.generation if held else 0)
    return Written(changes=plan, generation=await _write(connection, change))


async def _write(connection: "Connection[asyncpg.Record]", change: SetAllocation) -> int:
    """Write the row, or take it away; its generation from now on."""
    key = (change.tenant, change.workspace, change.gpu_type)
    if change.cards == 0:
        await connection.execute(_TAKE_BACK, *key)
        return 0
    if change.healthy is not None:
        await connection.execute(_SEEN, str(change.healthy))
    generation: int = await connection.fetchval(_GIVE, *key, change.cards)
    return generation


def _no_workspace(change: SetAllocation) -> Refused:
    return Refused(
        code=ProblemCode.NOT_FOUND,
        message=f"tenant {change.tenant!r} has no workspace {change.workspace!r}:"
        " choose one that it has, or import it first",
        path=("workspace",),
    )
