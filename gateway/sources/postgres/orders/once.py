"""A change that was asked for with a key is made once: the same again is answered with what it came to."""

import asyncpg
import msgspec
from asyncpg import Connection

from gateway.errors import SourceMisread, System
from gateway.fleet.change import Once, Order, Outcome, Written
from gateway.fleet.problem import ProblemCode, Refused
from gateway.sources.postgres.node_rows import to_json

# Who asks for the same meanwhile waits here until the first one ends.
_TAKE = """
INSERT INTO answered (actor, mutation, key, fingerprint) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING RETURNING true
"""
_FORGET = "DELETE FROM answered WHERE at <= now() - interval '24 hours'"
_FOUND = """
SELECT fingerprint, result FROM answered
 WHERE (actor, mutation, key) = ($1, $2, $3) AND at > now() - interval '24 hours'
"""
_KEEP = "UPDATE answered SET result = $4::text::jsonb WHERE (actor, mutation, key) = ($1, $2, $3)"


async def take_key(connection: "Connection[asyncpg.Record]", order: Order) -> Outcome | None:
    """Take the order's key for this transaction; what came of it where it was taken before."""
    if order.once is None:
        return None
    await connection.execute(_FORGET)
    if await connection.fetchval(_TAKE, *_key(order, order.once), order.once.fingerprint):
        return None
    return await found(connection, order)


async def keep(connection: "Connection[asyncpg.Record]", order: Order, written: Written) -> None:
    """Remember what the order came to, for who asks with the same key."""
    if order.once is not None:
        await connection.execute(_KEEP, *_key(order, order.once), to_json(written))


async def found(connection: "Connection[asyncpg.Record]", order: Order) -> Outcome | None:
    """What came of the order's key; None: it is new."""
    if order.once is None:
        return None
    row = await connection.fetchrow(_FOUND, *_key(order, order.once))
    if row is None:
        return None
    if row["fingerprint"] != order.once.fingerprint:
        return Refused(
            code=ProblemCode.KEY_REUSED,
            message=f"idempotencyKey {order.once.key!r} was used for another {_mutation(order)}:"
            " take a new key for a new request",
            path=("idempotencyKey",),
        )
    try:
        return msgspec.json.decode(row["result"] or "", type=Written)
    except msgspec.DecodeError:
        raise SourceMisread(
            System.PLATFORM,
            f"idempotencyKey {order.once.key!r} was used, and what it came to is not to be read any more:"
            " look at what there is, and take a new key",
        ) from None


def _key(order: Order, once: Once) -> tuple[str, str, str]:
    return order.actor, _mutation(order), once.key


def _mutation(order: Order) -> str:
    """The mutation's name in the schema, which is the change's own."""
    name = type(order.change).__name__
    return name[0].lower() + name[1:]
