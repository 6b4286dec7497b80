"""A thing again by its id."""

from collections.abc import Callable, Iterable, Mapping

import strawberry

from gateway.fleet.entity import EntityKind, read_id
from gateway.fleet.fleet import Fleet
from gateway.fleet.node import Node
from gateway.fleet.platform import Workspace
from gateway.fleet.unknown import Unknown
from gateway.fleet.usage import allocations
from resolvers.cluster import account
from resolvers.context import Info
from resolvers.query import find_job, find_node, find_pod, find_tenant, find_workspace

Parts = tuple[str, ...]


def entity(info: Info, id: strawberry.ID) -> object:
    """A thing by an id that this graph gave; null where it is gone."""
    return _found(info.context.fleet, id)


def entities(info: Info, ids: list[strawberry.ID]) -> list[object]:
    """Several things by their ids, in the same order; null where one is gone."""
    return [_found(info.context.fleet, one) for one in ids]


def _found(fleet: Fleet, id: str) -> object:
    kind, parts = read_id(id)
    for row in _FIND[kind](fleet, parts):
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
    kind, names = read_id(parts[0])
    name = names[0]
    of_cluster = kind is EntityKind.CLUSTER
    nodes = fleet.nodes(name) if of_cluster else fleet.nodes_of_tenant(name)
    if isinstance(nodes, Unknown):
        return [nodes]
    silence = fleet.slurm_silence(name) if of_cluster else None
    lines = account(parts[0], nodes.values(), silence, fleet, None, name if of_cluster else None)
    return [lines] if lines is None or isinstance(lines, Unknown) else lines


_FIND: Mapping[EntityKind, Callable[[Fleet, Parts], Iterable[object]]] = {
    EntityKind.CLUSTER: lambda fleet, parts: [fleet.cluster(parts[0])],
    EntityKind.NODE: lambda fleet, parts: [find_node(fleet, *parts[:2])],
    EntityKind.MIG_SLICE: _mig_slices,
    EntityKind.TENANT: lambda fleet, parts: [find_tenant(fleet, parts[0])],
    EntityKind.WORKSPACE: lambda fleet, parts: [find_workspace(fleet, *parts[:2])],
    EntityKind.ALLOCATION: _allocations,
    EntityKind.QUEUE: lambda fleet, parts: [fleet.queue(*parts[:2])],
    EntityKind.POD: lambda fleet, parts: [find_pod(fleet, *parts[:3])],
    EntityKind.SLURM_JOB: lambda fleet, parts: [find_job(fleet, *parts[:2])],
    EntityKind.BALANCE: _balances,
    EntityKind.SOURCE: lambda fleet, _: fleet.sources,
}
