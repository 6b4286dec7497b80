"""Sets what a card-hour of a type costs from some time on."""

import asyncpg
from asyncpg import Connection

from gateway.fleet.change import Outcome, SetPrice, Written
from gateway.fleet.gpu import Price
from gateway.fleet.planned import planned_price
from gateway.fleet.problem import Problem

# One at a time for each type: what comes next is compared with what held until now.
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('gateway.gpu_price/' || $1, 0))"
_NOW = "SELECT clock_timestamp()"
_HELD = "SELECT amount, currency, effective_from FROM gpu_price WHERE gpu_type = $1 ORDER BY effective_from"
_SET = """
INSERT INTO gpu_price (gpu_type, effective_from, amount, currency) VALUES ($1, $2, $3, $4)
ON CONFLICT (gpu_type, effective_from) DO UPDATE SET amount = excluded.amount, currency = excluded.currency
"""


async def set_price(connection: "Connection[asyncpg.Record]", change: SetPrice) -> Outcome:
    """Add a price to those of its type, or correct one that is still to come."""
    await connection.execute(_LOCK, change.gpu_type)
    now = await connection.fetchval(_NOW)
    held = [Price(**row) for row in await connection.fetch(_HELD, change.gpu_type)]
    plan = planned_price(change, held, now)
    if isinstance(plan, Problem):
        return plan
    if plan:
        start = change.effective_from or now
        await connection.execute(_SET, change.gpu_type, start, change.amount, change.currency)
    return Written(changes=plan, generation=None)
