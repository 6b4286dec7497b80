"""A machine that offers GPUs: one record, joined from what each system says of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from immutables import Map

from gateway.errors import System
from gateway.fleet.beside import Beside
from gateway.fleet.condition import Condition
from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.gpu import DeviceResource, GpuLabels, NodeGpus
from gateway.fleet.health_reason import HealthCode, HealthReason
from gateway.fleet.mig import MigSlice
from gateway.fleet.platform import NodeRecord
from gateway.fleet.pod import Pod
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.unknown import Maybe, Unknown

_NOTHING: Map[str, Decimal | Unknown] = Map()


@dataclass(frozen=True, slots=True, kw_only=True)
class Taint:
    """Keeps work away that does not tolerate it."""

    key: str
    value: str | None
    effect: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A label of a node."""

    key: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KubernetesNode:
    """A node as Kubernetes tells of it."""

    cluster: str
    name: str
    uid: str
    ready: bool | Unknown
    cordoned: bool
    cordoned_by: Maybe[str]
    taints: tuple[Taint, ...]
    labels: Mapping[str, str]
    conditions: tuple[Condition, ...]
    kubelet_version: str | None
    container_runtime: str | None
    resources: tuple[DeviceResource, ...]
    """Its GPU resources, sorted by name."""
    gpu_labels: GpuLabels
    hami_register: str | None
    """HAMi's annotation: one entry for each card."""
    allocatable: Map[str, Decimal | Unknown] = _NOTHING
    """What it has for pods of every resource; nodes that have the same share one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeHealth:
    """Usable or not: Ready, every expected card allocatable, no change in progress."""

    healthy: bool | Unknown
    reasons: tuple[HealthReason, ...]
    expected_cards: int | Unknown
    usable_cards: int | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A machine, and everything that the systems say of it.

    Each part is None where that system does not know the machine, and Unknown where it is silent.
    """

    cluster: str
    name: str
    known_to: tuple[System, ...]
    kubernetes: Maybe[KubernetesNode]
    record: Maybe[NodeRecord]
    slurm: Maybe[SlurmNode]
    pods: tuple[Pod, ...] | Unknown
    """Bound to it, ended ones too, by namespace and name."""
    jobs: tuple[SlurmJob, ...] | Unknown
    """That hold it, by id."""
    beside: Beside
    is_gpu_node: bool
    gpus: Maybe[NodeGpus]
    mig_slices: Maybe[tuple[MigSlice, ...]]
    health: Maybe[NodeHealth]
    busy: bool | Unknown

    @property
    def id(self) -> str:
        """The id of this node."""
        return entity_id(EntityKind.NODE, self.cluster, self.name)

    @property
    def held_by_slurm(self) -> tuple[SlurmJob, ...]:
        """The jobs of Slurm that hold it, which no scheduler of Kubernetes sees."""
        return () if isinstance(self.jobs, Unknown) else tuple(job for job in self.jobs if job.holds_nodes)

    @property
    def is_being_cut(self) -> bool:
        """Whether the MIG layout of its cards is being changed."""
        reasons = self.health.reasons if isinstance(self.health, NodeHealth) else ()
        return any(reason.code is HealthCode.MIG_CHANGE for reason in reasons)
