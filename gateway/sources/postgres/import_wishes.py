"""Asks of nodes what a file asks of them, as a caller would: by the same judgement and the same statement."""

from dataclasses import dataclass, replace

from asyncpg import Connection, Record

from gateway.errors import Conflict
from gateway.fleet.change import PlannedChange
from gateway.fleet.planned_node import planned_node
from gateway.fleet.platform import NodeRecord
from gateway.fleet.problem import Problem
from gateway.sources.postgres.file_wishes import NodeWish
from gateway.sources.postgres.orders.nodes import change_node, read_held
from gateway.sources.postgres.platform_file import PlatformFile

_HELD = "SELECT * FROM node_record WHERE (cluster, name) = ($1, $2)"
_IN_A_FILE = {"desired.cordoned", "desired.cordonReason", "desired.migLayout", "desired.nodeUid"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wished:
    """What an import asks of a node that was not asked of it before."""

    wish: NodeWish
    changes: tuple[PlannedChange, ...]

    def __str__(self) -> str:
        """One line for people: `~ node_record fleet/gpu-01: desired.cordoned false -> true`."""
        told = ", ".join(f"{one.field} {_shown(one.before)} -> {_shown(one.after)}" for one in self.changes)
        return f"~ node_record {self.wish.cluster}/{self.wish.node}: {told}"


async def ask_wishes(connection: "Connection[Record]", file: PlatformFile, *, dry_run: bool) -> list[Wished]:
    """Ask for what is not asked yet, within the transaction that is open; a dry run only tells."""
    records = {(node.cluster, node.name): node for node in file.nodes}
    made = []
    for wish in file.wishes:
        record = records[wish.cluster, wish.node]
        changes = _news(wish, _as_in_file(await _held(connection, wish), record))
        if changes and not dry_run:
            await change_node(connection, wish)
        if changes:
            made.append(Wished(wish=wish, changes=changes))
    return made


def _as_in_file(held: NodeRecord | None, record: NodeRecord) -> NodeRecord:
    """The record as the import leaves it: a dry run has not written it."""
    return replace(held, target=record.target, tenant_name=record.tenant_name) if held else record


def _news(wish: NodeWish, held: NodeRecord) -> tuple[PlannedChange, ...]:
    """What a wish alters; the same again is no other try, and keeps what was acknowledged for it since."""
    plan = planned_node(wish, held)
    if isinstance(plan, Problem):
        raise Conflict(f"cannot be asked for: {plan.message}")
    return plan if any(one.field in _IN_A_FILE for one in plan) else ()


async def _held(connection: "Connection[Record]", wish: NodeWish) -> NodeRecord | None:
    row = await connection.fetchrow(_HELD, wish.cluster, wish.node)
    return read_held(dict(row)) if row else None


def _shown(value: str | None) -> str:
    return "nothing" if value is None else value
