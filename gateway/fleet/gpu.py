"""GPUs: cards, slices and shares, their models, and what one node says of its own."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from gateway.fleet.mig import MigProfile
from gateway.fleet.quantity import Quantity
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown


class CardsBasis(enum.Enum):
    """Which rule told how many cards a node has."""

    RESOURCE_SLICES = "RESOURCE_SLICES"
    GPU_COUNT_LABEL = "GPU_COUNT_LABEL"
    CAPACITY = "CAPACITY"
    MIG_CONFIG = "MIG_CONFIG"
    VGPU_CORES = "VGPU_CORES"
    HAMI_ANNOTATION = "HAMI_ANNOTATION"
    PARTITION_LABELS = "PARTITION_LABELS"
    SLURM_GRES = "SLURM_GRES"
    OTHER = "OTHER"


class SharingStrategy(enum.Enum):
    """How one card serves several pods."""

    NONE = "NONE"
    TIME_SLICING = "TIME_SLICING"
    MPS = "MPS"


class MigStrategy(enum.Enum):
    """How the device plugin names MIG instances."""

    NONE = "NONE"
    SINGLE = "SINGLE"
    MIXED = "MIXED"


class MigConfigState(enum.Enum):
    """What the MIG manager says of its last change."""

    PENDING = "PENDING"
    REBOOTING = "REBOOTING"
    SUCCESS = "SUCCESS"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """An exact amount of a currency."""

    amount: Decimal
    currency: str
    """ISO 4217."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a card-hour costs from a time on."""

    amount: Decimal
    currency: str
    effective_from: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuType:
    """A GPU model in the platform's vocabulary, and what the other systems call it."""

    name: str
    memory_mib: int | None
    products: tuple[str, ...]
    """Values of the label nvidia.com/gpu.product, without suffixes."""
    slurm_types: tuple[str, ...]
    """Types in Slurm's GRES, lower case."""
    mig_profiles: tuple[MigProfile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuSharing:
    """How many pods share a card, and by what."""

    strategy: SharingStrategy
    replicas: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuLabels:
    """What gpu-feature-discovery and the MIG manager say of a node in its labels.

    None: there is no such label. A value that could not be read is Unknown.
    """

    product: str | None
    count: Maybe[int]
    """Cards of one model; slices under the single strategy."""
    memory_mib: Maybe[int]
    """Of one card; of one slice under the single strategy."""
    replicas: Maybe[int]
    sharing_strategy: Maybe[SharingStrategy]
    driver_version: str | None
    cuda_version: str | None
    mig_strategy: Maybe[MigStrategy]
    mig_config: str | None
    mig_config_state: Maybe[MigConfigState]
    since: Maybe[datetime]
    """When gpu-feature-discovery started."""
    driver_upgrade_state: str | None
    is_gpu_machine: bool
    """A label says that the machine has GPUs, whatever the device plugin offers."""
    profile_counts: Mapping[str, Maybe[int]]
    """Slices by profile as the labels count them (mixed strategy)."""
    profile_replicas: Mapping[str, Maybe[int]]
    """Shares of one slice, by profile (mixed strategy)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceResource:
    """What a node offers of one GPU resource."""

    name: str
    capacity: Maybe[Quantity]
    allocatable: Maybe[Quantity]
    """None: the node has no such key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtendedResource:
    """One GPU resource of a node: what it offers, what bound pods ask, what is left."""

    name: str
    unit: GpuUnit | None
    """None while nothing decides it."""
    capacity: Maybe[int]
    allocatable: Maybe[int]
    requested: Maybe[int]
    """Over bound pods that have not ended."""
    free: Maybe[int]
    """allocatable - requested, never below 0."""
    deficit: Maybe[int]
    """requested - allocatable, never below 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuClaim:
    """What a workload asks of one resource."""

    resource: str
    unit: Maybe[GpuUnit]
    """None while nothing decides it."""
    count: Maybe[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeGpus:
    """The GPUs of one node."""

    type: Maybe[GpuType]
    product: Maybe[str]
    memory_mib: Maybe[int]
    driver_version: Maybe[str]
    cuda_version: Maybe[str]
    cards: int | Unknown
    """Physical cards; 0 only where a rule says so."""
    cards_basis: CardsBasis | Unknown
    whole_cards: int | Unknown
    """Cards that are not cut into slices."""
    partitioned_cards: int | Unknown
    sharing: Maybe[GpuSharing]
    resources: Maybe[tuple[ExtendedResource, ...]]
    mig_strategy: Maybe[MigStrategy]
    mig_config: Maybe[str]
    mig_config_state: Maybe[MigConfigState]
    labels_since: Maybe[datetime]


_GPU_VENDORS = ("nvidia.com/", "amd.com/", "gpu.intel.com/", "volcano.sh/vgpu-")


def is_gpu_resource(name: str) -> bool:
    """Whether a resource key is about GPUs."""
    return name.startswith(_GPU_VENDORS) and not name.endswith("_monitoring")
