"""ResourceSlices by node and ResourceClaims by pool, kept by change."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from gateway.fleet.dra import ResourceClaim, ResourceSlice
from gateway.fleet.source import SourceKey
from gateway.fleet.table import Table

SLICES, CLAIMS = "resourceslices", "resourceclaims"
Machine = tuple[str, str]
"""Cluster, name."""
Pool = tuple[str, str, str]
"""Cluster, driver, name."""


class DeviceRows:
    """What drivers list and what claims were given, in every cluster."""

    def __init__(self) -> None:
        self._slices: Table[Any, ResourceSlice] = Table(node=_node_of, pool=lambda one: (_pool_of(one),))
        self._claims: Table[Any, ResourceClaim] = Table(pool=_pools_of)

    def changed(self, key: SourceKey, rows: Mapping[Hashable, object | None]) -> set[Machine]:
        """Take in what changed of a listing; of which machines something else is told now."""
        placed: dict[Any, Any] = {(key.place, name): row for name, row in rows.items()}
        if key.kind == CLAIMS:
            before = [self._claims.get(name) for name in placed]
            self._claims = self._claims.changed(placed)
            return self._holders(row for row in (*before, *placed.values()) if row is not None)
        held = [self._slices.get(name) for name in placed]
        self._slices = self._slices.changed(placed)
        return {node for row in (*held, *placed.values()) if row is not None for node in _node_of(row)}

    def machines(self, cluster: str) -> set[Machine]:
        """The machines of a cluster of which a driver lists devices."""
        rows = self._slices.rows.values()
        return {node for row in rows if row.cluster == cluster for node in _node_of(row)}

    def slices(self, machine: Machine) -> tuple[ResourceSlice, ...]:
        """What drivers list of a machine."""
        rows = self._slices.group("node", machine)
        return tuple(rows[key] for key in sorted(rows)) if rows else ()

    def claims(self, slices: Iterable[ResourceSlice]) -> tuple[ResourceClaim, ...]:
        """The claims that were given something of these slices' pools."""
        found: dict[Any, ResourceClaim] = {}
        for pool in {_pool_of(one) for one in slices}:
            found |= self._claims.group("pool", pool)
        return tuple(found[key] for key in sorted(found))

    def _holders(self, claims: Iterable[ResourceClaim]) -> set[Machine]:
        pools = {pool for claim in claims for pool in _pools_of(claim)}
        return {
            node
            for pool in pools
            for row in self._slices.group("pool", pool).values()
            for node in _node_of(row)
        }


def _node_of(row: ResourceSlice) -> Iterable[Machine]:
    return ((row.cluster, row.node_name),) if row.node_name else ()


def _pool_of(row: ResourceSlice) -> Pool:
    return row.cluster, row.driver, row.pool


def _pools_of(row: ResourceClaim) -> set[Pool]:
    return {(row.cluster, one.driver, one.pool) for one in row.given}
