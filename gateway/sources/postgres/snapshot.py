"""Read all of the platform's records at one moment, and name the rows that cannot be used."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

import asyncpg
from asyncpg import Connection

from gateway.errors import System
from gateway.fleet.catalogue import known_types
from gateway.fleet.desired import Controller, NodeObserved, reconciler_of
from gateway.fleet.gpu import GpuType, Price
from gateway.fleet.platform import Allocation, NodeRecord, PlatformRecords, Tenant, Workspace
from gateway.fleet.unknown import undetermined
from gateway.fleet.wish import is_out_of_service
from gateway.sources.postgres.controller_rows import read_controller
from gateway.sources.postgres.node_rows import Row, UnreadableRow, read_holder, read_node, read_progress
from gateway.sources.sync import Item, Problem

Tables: TypeAlias = Mapping[str, Sequence[Row]]
KEY = "records"
"""The one row that the platform has in the fleet."""

_QUERIES = {
    "gpu_type": "SELECT name, memory_mib, products, slurm_types FROM gpu_type ORDER BY name",
    "gpu_price": "SELECT gpu_type, effective_from, amount, currency FROM gpu_price"
    " ORDER BY gpu_type, effective_from",
    "tenant": "SELECT id, display_name FROM tenant ORDER BY id",
    "workspace": "SELECT tenant_id, name, cluster, queue FROM workspace ORDER BY tenant_id, name",
    "workspace_namespace": "SELECT tenant_id, workspace, namespace FROM workspace_namespace"
    " ORDER BY tenant_id, workspace, namespace",
    "gpu_allocation": "SELECT tenant_id, workspace, gpu_type, cards, generation FROM gpu_allocation"
    " ORDER BY tenant_id, workspace, gpu_type",
    "node_record": "SELECT * FROM node_record ORDER BY cluster, name",
    "controller": "SELECT * FROM controller ORDER BY name",
}
TABLES = tuple(_QUERIES)
"""What is read."""
_KEYS = {
    "gpu_price": ("gpu_type", "effective_from"),
    "gpu_allocation": ("tenant_id", "workspace", "gpu_type"),
    "node_record": ("cluster", "name"),
}


class Snapshot(NamedTuple):
    """The records, and the rows that are not among them or only in part."""

    records: PlatformRecords
    skipped: list[Item[PlatformRecords]]


async def read_snapshot(connection: "Connection[asyncpg.Record]") -> Snapshot:
    """Ask for every table in one transaction, which sees one moment."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        return read_tables(
            {table: [dict(row) for row in await connection.fetch(query)] for table, query in _QUERIES.items()}
        )


def read_tables(tables: Tables) -> Snapshot:
    """Make records of rows; one that cannot be used is named and left out, and the rest goes on."""
    types = known_types(_gpu_type(row) for row in tables["gpu_type"])
    prices, no_prices = _parted("gpu_price", tables, "gpu_type", types.__contains__)
    allocations, no_allocations = _parted("gpu_allocation", tables, "gpu_type", types.__contains__)
    nodes = _nodes(tables["node_record"])
    _, doubtful = _parted(
        "node_record", tables, "claimed_gpu_type", lambda name: name is None or name in types
    )
    records = PlatformRecords(
        gpu_types=types,
        prices={name: tuple(_price(row) for row in rows) for name, rows in _grouped(prices, "gpu_type")},
        tenants={
            row["id"]: Tenant(name=row["id"], display_name=row["display_name"]) for row in tables["tenant"]
        },
        workspaces=_workspaces(tables, allocations),
        nodes=nodes.records,
        controllers=_controllers(tables["controller"], nodes.in_change),
    )
    return Snapshot(records, [*no_prices, *no_allocations, *nodes.left_out, *doubtful])


def renewed(old: PlatformRecords | None, new: PlatformRecords) -> PlatformRecords:
    """The new records, in which everything that is equal to the old keeps its identity."""
    if old is None:
        return new
    if old == new:
        return old
    return PlatformRecords(
        nodes=_kept(old.nodes, new.nodes),
        tenants=_kept(old.tenants, new.tenants),
        workspaces=_kept(old.workspaces, new.workspaces),
        gpu_types=_kept(old.gpu_types, new.gpu_types),
        prices=_kept(old.prices, new.prices),
        controllers=_kept(old.controllers, new.controllers),
    )


def _kept(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> Mapping[Any, Any]:
    if old == new:
        return old
    return {key: old[key] if old.get(key) == value else value for key, value in new.items()}


def _parted(
    table: str, tables: Tables, column: str, is_usable: Callable[[Any], bool]
) -> tuple[list[Row], list[Item[PlatformRecords]]]:
    """The rows whose column can be used, and the others by name."""
    usable = [row for row in tables[table] if is_usable(row[column])]
    return usable, [_skipped(table, row, column) for row in tables[table] if not is_usable(row[column])]


def _skipped(table: str, row: Row, column: str) -> Item[PlatformRecords]:
    text = "is no GPU type of the platform or the catalogue"
    return _left_out(table, row, Problem(path=column, raw=str(row[column]), text=text))


def _left_out(table: str, row: Row, problem: Problem) -> Item[PlatformRecords]:
    key = tuple(str(row[part]) for part in _KEYS[table])
    subject = f"{table}/{'/'.join(key)}"
    return Item(key=(table, *key, problem.path), subject=subject, record=None, problems=(problem,))


def _grouped(rows: Iterable[Row], *columns: str) -> Iterable[tuple[Any, Iterable[Row]]]:
    """Rows that come in the order of these columns, by their values."""
    if len(columns) == 1:
        return groupby(rows, key=lambda row: row[columns[0]])
    return groupby(rows, key=lambda row: tuple(row[column] for column in columns))


def _gpu_type(row: Row) -> GpuType:
    return GpuType(
        name=row["name"],
        memory_mib=row["memory_mib"],
        products=tuple(row["products"]),
        slurm_types=tuple(word.lower() for word in row["slurm_types"]),
        mig_profiles=(),
    )


def _price(row: Row) -> Price:
    return Price(amount=row["amount"], currency=row["currency"], effective_from=row["effective_from"])


class _Nodes(NamedTuple):
    """The records by cluster and name, how many of a cluster are out of service, and rows that make none."""

    records: dict[tuple[str, str], NodeRecord]
    in_change: Counter[str]
    left_out: list[Item[PlatformRecords]]


def _nodes(rows: Iterable[Row]) -> _Nodes:
    found = _Nodes({}, Counter(), [])
    for row in rows:
        try:
            node, progress = read_node(row), read_progress(row)
        except UnreadableRow as why:
            problem = Problem(path=why.column, raw=why.raw, text=why.text)
            found.left_out.append(_left_out("node_record", row, problem))
            found.records.update(_held(row, why))
            continue
        found.records[node.cluster, node.name] = node
        if isinstance(node.observed, NodeObserved):
            found.in_change[node.cluster] += is_out_of_service(node.observed, progress)
    return found


def _held(row: Row, why: UnreadableRow) -> Iterator[tuple[tuple[str, str], NodeRecord]]:
    """A record that says at least who holds the node: nobody may take it for a free one."""
    said = f"node_record {row['cluster']}/{row['name']}: {why}; correct it first"
    with suppress(UnreadableRow):
        node = read_holder(row, undetermined(System.PLATFORM, said))
        yield (node.cluster, node.name), node


def _controllers(rows: Iterable[Row], in_change: Counter[str]) -> Mapping[str, Controller]:
    busy = {reconciler_of(cluster): count for cluster, count in in_change.items()}
    return {row["name"]: read_controller(row, busy.get(row["name"], 0)) for row in rows}


def _workspaces(tables: Tables, allocations: Iterable[Row]) -> Mapping[tuple[str, str], Workspace]:
    owner = ("tenant_id", "workspace")
    namespaces = {
        key: tuple(row["namespace"] for row in rows)
        for key, rows in _grouped(tables["workspace_namespace"], *owner)
    }
    given = {key: tuple(_allocation(row) for row in rows) for key, rows in _grouped(allocations, *owner)}
    return {
        key: Workspace(
            tenant_name=row["tenant_id"],
            name=row["name"],
            cluster_name=row["cluster"],
            namespaces=namespaces.get(key, ()),
            queue_name=row["queue"],
            allocations=given.get(key, ()),
        )
        for row in tables["workspace"]
        for key in [(row["tenant_id"], row["name"])]
    }


def _allocation(row: Row) -> Allocation:
    return Allocation(gpu_type=row["gpu_type"], cards=row["cards"], generation=row["generation"])
