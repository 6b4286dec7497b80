"""What callers may ask of a list. Null is the same as absent; the entries of one list are alternatives."""

import enum
from collections.abc import Collection
from typing import Any, TypeVar

import strawberry

from gateway.errors import System
from gateway.fleet.alert import AlertKind
from gateway.fleet.platform import Target
from gateway.fleet.workload import WorkloadState

T = TypeVar("T")
MACHINES = (System.KUBERNETES, System.PLATFORM, System.SLURM)
NEEDS = "needs"
"""The key of a field's metadata that says which systems answer it."""


def _needing(*systems: System, default: object = None, description: str | None = None) -> Any:  # noqa: ANN401 - Strawberry makes the default of it
    """A condition that other systems than the list's own decide."""
    return strawberry.field(default=default, description=description, metadata={NEEDS: systems})


class Direction(enum.Enum):
    """Which end of a list comes first."""

    ASC = "ASC"
    DESC = "DESC"


class NodeOrderField(enum.Enum):
    """By what nodes are ordered.

    CARDS: physical cards. FREE_CARDS: whole cards that the machine's scheduler has left, as its resources or
    its GRES say, whether or not new work may come: filter by healthy and cordoned for that.
    """

    NAME = "NAME"
    FREE_CARDS = "FREE_CARDS"
    CARDS = "CARDS"


@strawberry.input
class NodeOrder:
    """How nodes are ordered.

    Where there is no number, or it is not known, the machine comes last both ways; equal ones go by name.
    A machine whose number changes between two pages stands where the new one puts it: it may come twice or
    not at all, and every other comes once.
    """

    by: NodeOrderField = strawberry.field(metadata={NEEDS: (System.KUBERNETES, System.SLURM)})
    direction: Direction = Direction.ASC


@strawberry.input
class NodeFilter:
    """Which nodes; unassigned: only those without a tenant.

    What is not known is neither true nor false; where only a silent system could tell, the list is its error.
    """

    include_non_gpu: bool = strawberry.field(name="includeNonGpu", default=False)
    names: list[str] | None = None
    targets: list[Target] | None = _needing(System.PLATFORM)
    tenants: list[str] | None = _needing(System.PLATFORM)
    unassigned: bool = _needing(System.PLATFORM, default=False)
    gpu_types: list[str] | None = _needing(*MACHINES)
    healthy: bool | None = _needing(*MACHINES)
    cordoned: bool | None = _needing(System.KUBERNETES)
    busy: bool | None = _needing(System.KUBERNETES, System.SLURM)
    mig_profiles: list[str] | None = _needing(
        System.KUBERNETES, description="Machines that have a slice of any of these, as 1g.10gb."
    )
    label_selector: str | None = _needing(
        System.KUBERNETES,
        description="As Kubernetes writes it: a=b, a!=b, a in (b,c), a notin (b,c), a, !a, a>1, and commas "
        "between them. A machine that Kubernetes does not know is not selected.",
    )
    alerts: list[AlertKind] | None = strawberry.field(
        default=None, description="Machines that an open alert of any of these kinds is about."
    )


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
