"""The lines of the account."""

from dataclasses import dataclass

from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.gpu import GpuType, Money
from gateway.fleet.mig import MigProfile
from gateway.fleet.platform import Target
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceBalance:
    """The slices of one profile, summed over the nodes of a line."""

    profile: MigProfile
    capacity: int | Unknown
    allocatable: int | Unknown
    requested: int | Unknown
    free: int | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuBalance:
    """All cards of one type on one target, of a cluster or of a tenant there."""

    owner: str
    """Whose line: a cluster or a tenant, as its id."""
    gpu_type: GpuType | None
    """None: a model that neither the platform nor the catalogue knows."""
    target: Target | None
    """None: cards that no record assigns."""
    unit: GpuUnit
    physical: int | Unknown
    healthy: int | Unknown
    schedulable: int | Unknown
    partitioned: int | Unknown
    allocated: Maybe[int]
    used: Maybe[int]
    available: Maybe[int]
    deficit: Maybe[int]
    slices: Maybe[tuple[SliceBalance, ...]]
    cost_per_hour: Maybe[Money]

    @property
    def id(self) -> str:
        """The id of this line."""
        kind = self.gpu_type.name if self.gpu_type else ""
        return entity_id(EntityKind.BALANCE, self.owner, kind, self.target.value if self.target else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuAllocation:
    """What the platform gave to a workspace, and what work holds of it."""

    id: str
    generation: int
    gpu_type: GpuType
    cards: int
    used: Maybe[int]
    headroom: Maybe[int]
    borrowed: Maybe[int]
    price_per_hour: Maybe[Money]
    cost_per_hour: Maybe[Money]
