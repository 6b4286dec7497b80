"""Stops a controller's effects, or lets it go on."""

import asyncpg
from asyncpg import Connection

from gateway.fleet.change import Outcome, SetPause, Written
from gateway.fleet.planned import planned_pause
from gateway.fleet.problem import Problem
from gateway.sources.postgres.controller_rows import read_controller

# This one alone: a stop must not wait for what another cluster's controller is writing.
_LOCK = "SELECT true FROM controller WHERE name = $1 FOR NO KEY UPDATE"
_HELD = "SELECT * FROM controller"
_SET = "UPDATE controller SET paused_by = $2, paused_reason = $3 WHERE name = $1"


async def set_pause(connection: "Connection[asyncpg.Record]", change: SetPause, actor: str) -> Outcome:
    """Pause a controller in the caller's name, or end a pause."""
    await connection.execute(_LOCK, change.controller)
    held = {row["name"]: read_controller(dict(row), in_change=0) for row in await connection.fetch(_HELD)}
    plan = planned_pause(change, held)
    if isinstance(plan, Problem):
        return plan
    if plan:
        paused_by, reason = (actor, change.reason) if change.paused else (None, None)
        await connection.execute(_SET, change.controller, paused_by, reason)
    return Written(changes=plan, generation=None)
