"""What an import writes: the platform's tables as rows by key, and what differs between two sets of them."""

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeAlias

from gateway.fleet.platform import Workspace
from gateway.fleet.quantity import write_decimal
from gateway.sources.postgres.platform_file import PlatformFile

Key: TypeAlias = tuple[Any, ...]
Values: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Mapping[str, Mapping[Key, Values]]
"""By table, then by key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table that an import writes; of its columns only these, since others have other owners."""

    name: str
    key: tuple[str, ...]
    values: tuple[str, ...]


TABLES = (
    Table(name="gpu_type", key=("name",), values=("memory_mib", "products", "slurm_types")),
    Table(name="gpu_price", key=("gpu_type", "effective_from"), values=("amount", "currency")),
    Table(name="tenant", key=("id",), values=("display_name",)),
    Table(name="workspace", key=("tenant_id", "name"), values=("cluster", "queue")),
    Table(name="workspace_namespace", key=("cluster", "namespace"), values=("tenant_id", "workspace")),
    Table(name="gpu_allocation", key=("tenant_id", "workspace", "gpu_type"), values=("cards",)),
    Table(
        name="node_record",
        key=("cluster", "name"),
        values=("target", "tenant_id", "claimed_cards", "claimed_gpu_type"),
    ),
)
"""Each after those that it refers to."""


class Action(enum.Enum):
    """What happens to a row."""

    ADDED = "+"
    CHANGED = "~"
    REMOVED = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One row that an import adds, changes or removes; only the columns that differ."""

    action: Action
    table: Table
    key: Key
    before: Values
    after: Values

    def __str__(self) -> str:
        """One line for people: `~ node_record fleet/gpu-01: target KUBERNETES -> SLURM`."""
        what = f"{self.action.value} {self.table.name} {'/'.join(map(_shown, self.key))}"
        told = ", ".join(self._told(column) for column in {**self.before, **self.after})
        return f"{what}: {told}" if told else what

    def _told(self, column: str) -> str:
        sides = [_shown(side[column]) for side in (self.before, self.after) if column in side]
        return f"{column} {' -> '.join(sides)}"


def rows_of(file: PlatformFile) -> Rows:
    """What the tables hold when they hold this file and nothing else."""
    return {
        "gpu_type": {
            (kind.name,): {
                "memory_mib": kind.memory_mib,
                "products": list(kind.products),
                "slurm_types": list(kind.slurm_types),
            }
            for kind in file.gpu_types
        },
        "gpu_price": {
            (name, price.effective_from): {"amount": price.amount, "currency": price.currency}
            for name, price in file.prices
        },
        "tenant": {(tenant.name,): {"display_name": tenant.display_name} for tenant in file.tenants},
        **_workspace_rows(file.workspaces),
        "node_record": {
            (node.cluster, node.name): {
                "target": node.target.value if node.target else None,
                "tenant_id": node.tenant_name,
                "claimed_cards": node.claimed_cards,
                "claimed_gpu_type": node.claimed_gpu_type,
            }
            for node in file.nodes
        },
    }


def differences(held: Rows, wanted: Rows, *, prune: bool) -> Iterator[Change]:
    """What leads from one to the other, in an order that can be written; removals only where asked for."""
    for table in TABLES:
        yield from _news(table, held[table.name], wanted[table.name])
    for table in reversed(TABLES) if prune else ():
        for key, old in held[table.name].items():
            if key not in wanted[table.name]:
                yield Change(action=Action.REMOVED, table=table, key=key, before=_set(old), after={})


def _news(table: Table, held: Mapping[Key, Values], wanted: Mapping[Key, Values]) -> Iterator[Change]:
    for key, values in wanted.items():
        old = held.get(key)
        if old is None:
            yield Change(action=Action.ADDED, table=table, key=key, before={}, after=_set(values))
        elif old != values:
            yield _change(table, key, old, values)


def _change(table: Table, key: Key, old: Values, new: Values) -> Change:
    differing = [column for column in new if old[column] != new[column]]
    return Change(
        action=Action.CHANGED,
        table=table,
        key=key,
        before={column: old[column] for column in differing},
        after={column: new[column] for column in differing},
    )


def _set(values: Values) -> Values:
    """Only what is said; the columns' defaults are the rest."""
    return {column: value for column, value in values.items() if value not in (None, [])}


def _shown(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, Decimal):
        return write_decimal(value)
    if isinstance(value, list):
        return f"[{', '.join(value)}]"
    return "nothing" if value is None else str(value)


def _workspace_rows(workspaces: tuple[Workspace, ...]) -> Rows:
    return {
        "workspace": {
            (space.tenant_name, space.name): {"cluster": space.cluster_name, "queue": space.queue_name}
            for space in workspaces
        },
        "workspace_namespace": {
            (space.cluster_name, namespace): {"tenant_id": space.tenant_name, "workspace": space.name}
            for space in workspaces
            for namespace in space.namespaces
        },
        "gpu_allocation": {
            (space.tenant_name, space.name, given.gpu_type): {"cards": given.cards}
            for space in workspaces
            for given in space.allocations
        },
    }
