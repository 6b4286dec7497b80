"""The lines of the account."""

from dataclasses import dataclass, field

from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.gpu import GpuType, Money
from gateway.fleet.line import Figures, Line
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
    figures: Figures
    """Its numbers with their terms: each number below is the value of one."""
    slices: Maybe[tuple[SliceBalance, ...]]
    cost_per_hour: Maybe[Money]
    line: Line = field(compare=False, repr=False)
    """What it was drawn up over."""

    @property
    def id(self) -> str:
        """The id of this line."""
        kind = self.gpu_type.name if self.gpu_type else ""
        return entity_id(EntityKind.BALANCE, self.owner, kind, self.target.value if self.target else "")

    @property
    def physical(self) -> Maybe[int]:
        """Cards that the target's system knows."""
        return self.figures.physical.value

    @property
    def healthy(self) -> Maybe[int]:
        """Cards that are usable."""
        return self.figures.healthy.value

    @property
    def schedulable(self) -> Maybe[int]:
        """Usable cards where new work may be placed."""
        return self.figures.schedulable.value

    @property
    def partitioned(self) -> Maybe[int]:
        """Cards that are cut into slices."""
        return self.figures.partitioned.value

    @property
    def allocated(self) -> Maybe[int]:
        """What was given; None for cards that no record assigns."""
        return self.figures.allocated.value

    @property
    def used(self) -> Maybe[int]:
        """Whole cards that bound work holds."""
        return self.figures.used.value

    @property
    def available(self) -> Maybe[int]:
        """What may still be given; None for cards that no record assigns."""
        return self.figures.available.value

    @property
    def deficit(self) -> Maybe[int]:
        """What is given and not healthy; None for cards that no record assigns."""
        return self.figures.deficit.value


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
