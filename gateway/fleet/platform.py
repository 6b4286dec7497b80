"""What the platform's records say: who holds which node, what each workspace was given, what a card costs."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from gateway.fleet.desired import Controller, NodeDesired, NodeObserved
from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.gpu import GpuType, Price
from gateway.fleet.health_reason import ReportedHealth
from gateway.fleet.unknown import Maybe


class Target(enum.Enum):
    """Which scheduler a node serves: one, never both."""

    KUBERNETES = "KUBERNETES"
    SLURM = "SLURM"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRecord:
    """What the platform wrote down about one machine."""

    cluster: str
    name: str
    target: Target | None
    tenant_name: str | None
    claimed_cards: int | None
    """A claim to compare with, never a source of capacity."""
    claimed_gpu_type: str | None
    desired: Maybe[NodeDesired] = None
    """None: nobody asked for anything yet."""
    observed: Maybe[NodeObserved] = None
    """None: the reconciler has not looked at it yet."""
    reported_health: Maybe[ReportedHealth] = None
    """None: the health monitor has not looked at it yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenant:
    """Who holds nodes and has workspaces."""

    name: str
    display_name: str | None

    @property
    def id(self) -> str:
        """The id of this tenant."""
        return entity_id(EntityKind.TENANT, self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """Cards of one type that the platform gave to a workspace."""

    gpu_type: str
    cards: int
    generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A team's share of a tenant: namespaces and a queue of one cluster."""

    tenant_name: str
    name: str
    cluster_name: str
    namespaces: tuple[str, ...]
    queue_name: str | None
    allocations: tuple[Allocation, ...]

    @property
    def id(self) -> str:
        """The id of this workspace."""
        return entity_id(EntityKind.WORKSPACE, self.tenant_name, self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformRecords:
    """All records at one moment."""

    nodes: Mapping[tuple[str, str], NodeRecord]
    """By cluster and name."""
    tenants: Mapping[str, Tenant]
    workspaces: Mapping[tuple[str, str], Workspace]
    """By tenant and name."""
    gpu_types: Mapping[str, GpuType]
    """The platform's own and the shipped catalogue, by name."""
    prices: Mapping[str, tuple[Price, ...]]
    """By GPU type, oldest first."""
    controllers: Mapping[str, Controller] = field(default_factory=dict)
    """By name."""
