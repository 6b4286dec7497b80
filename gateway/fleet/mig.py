"""MIG: profiles, and the slices of a node."""

from dataclasses import dataclass

from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown

MIG_PREFIX = "nvidia.com/mig-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where the slices of a profile may lie on a card, in the units that its memory is cut by."""

    units: int
    """Of the whole card."""
    size: int
    starts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MigProfile:
    """A way to cut a card."""

    name: str
    """As nvidia-smi writes it: 1g.10gb, 1g.10gb+me."""
    compute_slices: int | None
    memory_mib: int | None
    """None where no real listing was seen; the name does not tell it."""
    max_per_card: int | None
    media_extensions: bool
    placement: Placement | None = None
    """None where no real listing was seen: what fits beside it cannot be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MigSlice:
    """The slices of one profile on one node, as a group: Kubernetes counts slices and does not name them."""

    cluster: str
    node: str
    profile: MigProfile
    resource_name: str
    unit: GpuUnit
    """SLICE, or SHARE where the slices are shared; the four numbers count it."""
    slices: int | Unknown
    """How many instances."""
    capacity: Maybe[int]
    allocatable: Maybe[int]
    requested: Maybe[int]
    free: Maybe[int]

    @property
    def id(self) -> str:
        """The id of this group."""
        return entity_id(EntityKind.MIG_SLICE, self.cluster, self.node, self.resource_name, self.profile.name)
