"""What callers may ask of a list. Null is the same as absent; the entries of one list are alternatives."""

import enum
from collections.abc import Collection
from typing import Any, TypeVar

import strawberry

from gateway.errors import System
from gateway.fleet.platform import Target
from gateway.fleet.workload import WorkloadState

T = TypeVar("T")
NEEDS = "needs"
"""The key of a field's metadata that says which systems answer it."""


def _needing(system: System, default: object = None) -> Any:  # noqa: ANN401 - Strawberry makes the default of it
    """A condition that another system than the list's own decides."""
    return strawberry.field(default=default, metadata={NEEDS: (system,)})


class Direction(enum.Enum):
    """Which end of a list comes first."""

    ASC = "ASC"
    DESC = "DESC"


class NodeOrderField(enum.Enum):
    """By what nodes are ordered."""

    NAME = "NAME"


@strawberry.input
class NodeOrder:
    """How nodes are ordered."""

    by: NodeOrderField
    direction: Direction = Direction.ASC


@strawberry.input
class NodeFilter:
    """Which nodes; unassigned: only those without a tenant."""

    include_non_gpu: bool = strawberry.field(name="includeNonGpu", default=False)
    names: list[str] | None = None
    targets: list[Target] | None = _needing(System.PLATFORM)
    tenants: list[str] | None = _needing(System.PLATFORM)
    unassigned: bool = _needing(System.PLATFORM, default=False)
    gpu_types: list[str] | None = None


@strawberry.input
class CapacityFilter:
    """Which lines of the account, and whose machines."""

    gpu_types: list[str] | None = None
    targets: list[Target] | None = None
    tenants: list[str] | None = None
    unassigned: bool = False


@strawberry.input
class MigSliceFilter:
    """Which groups of slices."""

    profiles: list[str] | None = None
    nodes: list[str] | None = None
    tenants: list[str] | None = _needing(System.PLATFORM)


@strawberry.input
class WorkspaceRef:
    """A workspace by name."""

    tenant: str
    name: str


@strawberry.input
class PodFilter:
    """Which pods."""

    namespaces: list[str] | None = None
    names: list[str] | None = None
    states: list[WorkloadState] | None = None
    include_non_gpu: bool = strawberry.field(name="includeNonGpu", default=False)
    workspace: WorkspaceRef | None = _needing(System.PLATFORM)
    queue: str | None = _needing(System.QUEUES)


@strawberry.input
class SlurmJobFilter:
    """Which jobs."""

    states: list[WorkloadState] | None = None
    user: str | None = None
    partition: str | None = None


@strawberry.input
class TenantFilter:
    """Which tenants."""

    names: list[str] | None = None


def chosen(wanted: Collection[T] | None, value: T | None) -> bool:
    """Whether a list of alternatives lets a value through; no list lets all."""
    return wanted is None or value in wanted
