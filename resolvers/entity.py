"""A thing again by its id."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import strawberry

from gateway.errors import Invalid
from gateway.fleet.cluster import Cluster
from gateway.fleet.entity import EntityKind, entity_id, read_id
from gateway.fleet.fleet import Fleet
from gateway.fleet.node import Node
from gateway.fleet.platform import Tenant, Workspace
from gateway.fleet.unknown import Maybe, Unknown
from gateway.fleet.usage import allocations
from resolvers.capacity import cluster_lines, tenant_lines
from resolvers.context import Info, Note
from resolvers.paging import MOST_ROWS
from resolvers.query import find_job, find_node, find_pod, find_tenant, find_workspace

Parts = tuple[str, ...]


def entity(info: Info, id: strawberry.ID) -> Maybe[object]:
    """A thing by an id that this graph gave; null where it is gone."""
    return find_entity(info.context.fleet, id)


def entities(info: Info, ids: list[strawberry.ID]) -> list[object | None]:
    """Several things by their ids, in the same order; null where one is gone."""
    if len(ids) > MOST_ROWS:
        raise Invalid(f"ids: {len(ids):,} are more than {MOST_ROWS:,}: ask for some of them at a time")
    found = [find_entity(info.context.fleet, one) for one in ids]
    path = info.path.as_list()
    info.context.notes.extend(
        Note((*path, place), one) for place, one in enumerate(found) if isinstance(one, Unknown)
    )
    return [None if isinstance(one, Unknown) else one for one in found]


def find_entity(fleet: Fleet, id: str) -> object:
    """A thing by its id; None where it is gone, Unknown where who knows it is silent."""
    kind, parts = read_id(id)
    finding = _FIND[kind]
    if len(parts) != finding.parts:
        raise Invalid(f"{id!r:.60} is not an id of this graph: pass an id that it answered before")
    for row in finding.rows(fleet, parts):
        if isinstance(row, Unknown) or getattr(row, "id", None) == id:
            return row
    return None


def _mig_slices(fleet: Fleet, parts: Parts) -> Iterable[object]:
    node = find_node(fleet, parts[0], parts[1])
    if not isinstance(node, Node):
        return [node]
    return [node.mig_slices] if isinstance(node.mig_slices, Unknown) else node.mig_slices or ()


def _allocations(fleet: Fleet, parts: Parts) -> Iterable[object]:
    workspace = find_workspace(fleet, parts[0], parts[1])
    return allocations(workspace, fleet) if isinstance(workspace, Workspace) else [workspace]


def _balances(fleet: Fleet, parts: Parts) -> Iterable[object]:
    owner = find_entity(fleet, parts[0])
    if isinstance(owner, Cluster):
        lines = cluster_lines(owner, fleet, None)
    elif isinstance(owner, Tenant):
        lines = tenant_lines(owner, fleet, None)
    else:
        return [owner]
    return [lines] if lines is None or isinstance(lines, Unknown) else lines


class _Finding(NamedTuple):
    """Where things of a kind are looked for, and of how many parts their ids are."""

    parts: int
    rows: Callable[[Fleet, Parts], Iterable[object]]


_FIND: Mapping[EntityKind, _Finding] = {
    EntityKind.CLUSTER: _Finding(1, lambda fleet, parts: [fleet.cluster(parts[0])]),
    EntityKind.NODE: _Finding(2, lambda fleet, parts: [find_node(fleet, *parts)]),
    EntityKind.MIG_SLICE: _Finding(4, _mig_slices),
    EntityKind.TENANT: _Finding(1, lambda fleet, parts: [find_tenant(fleet, parts[0])]),
    EntityKind.WORKSPACE: _Finding(2, lambda fleet, parts: [find_workspace(fleet, *parts)]),
    EntityKind.ALLOCATION: _Finding(3, _allocations),
    EntityKind.QUEUE: _Finding(2, lambda fleet, parts: [fleet.queue(*parts)]),
    EntityKind.POD: _Finding(4, lambda fleet, parts: [find_pod(fleet, *parts[:3])]),
    EntityKind.SLURM_JOB: _Finding(3, lambda fleet, parts: [find_job(fleet, *parts[:2])]),
    EntityKind.BALANCE: _Finding(3, _balances),
    EntityKind.SOURCE: _Finding(1, lambda fleet, _: fleet.sources),
    EntityKind.ALERT: _Finding(
        3, lambda fleet, parts: [fleet.alerts.get(entity_id(EntityKind.ALERT, *parts))]
    ),
}
