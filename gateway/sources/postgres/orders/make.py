"""Makes one order in one transaction, or says why not and leaves everything as it was."""

import asyncpg
from asyncpg import Connection

from gateway.fleet.change import Order, Outcome, SetAllocation, SetPause, SetPrice, Written
from gateway.sources.postgres.orders.allocations import set_allocation
from gateway.sources.postgres.orders.nodes import change_node
from gateway.sources.postgres.orders.once import keep, take_key
from gateway.sources.postgres.orders.pauses import set_pause
from gateway.sources.postgres.orders.prices import set_price
from gateway.sources.postgres.orders.refusal import refusal

_ACTOR = "SELECT set_config('gateway.actor', $1, true)"


async def make(connection: "Connection[asyncpg.Record]", order: Order) -> Outcome:
    """What came of an order, within the transaction that is open; a problem is to be rolled back."""
    try:
        await connection.execute(_ACTOR, order.actor)
        return await _first(connection, order)
    except asyncpg.PostgresError as error:
        problem = refusal(error, order.change)
        if problem is None:
            raise
        return problem


async def _first(connection: "Connection[asyncpg.Record]", order: Order) -> Outcome:
    """Make it, unless its key says that it was made before."""
    before = await take_key(connection, order)
    if before is not None:
        return before
    outcome = await _change(connection, order)
    if isinstance(outcome, Written):
        await keep(connection, order, outcome)
    return outcome


async def _change(connection: "Connection[asyncpg.Record]", order: Order) -> Outcome:
    change = order.change
    if isinstance(change, SetAllocation):
        return await set_allocation(connection, change)
    if isinstance(change, SetPrice):
        return await set_price(connection, change)
    if isinstance(change, SetPause):
        return await set_pause(connection, change, order.actor)
    return await change_node(connection, change)
