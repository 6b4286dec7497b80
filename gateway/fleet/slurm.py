"""Slurm's nodes and jobs, in one shape whichever REST version told of them."""

from dataclasses import dataclass
from datetime import datetime

from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.gpu import GpuClaim
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown
from gateway.fleet.workload import WorkloadState

HOLDING = frozenset({"RUNNING", "COMPLETING", "SUSPENDED", "CONFIGURING", "STOPPED", "SIGNALING", "RESIZING"})
"""Words of a job's state that mean it has its nodes; 22.05 writes the last three in the place of RUNNING."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmGres:
    """One generic resource of a Slurm node."""

    name: str
    type: str | None
    unit: GpuUnit
    configured: int | Unknown
    used: int | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmNode:
    """A machine as Slurm tells of it."""

    slurm_cluster: str
    name: str
    states: tuple[str, ...]
    """Base state and flags, upper case, sorted: a set."""
    reason: str | None
    reason_by: str | None
    partitions: tuple[str, ...]
    gres: tuple[SlurmGres, ...]
    """Only GPU resources."""
    host: str | None = None
    """The machine whose pod it runs in, where it is none itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmJob:
    """A job that is not purged yet."""

    slurm_cluster: str
    job_id: str
    name: str
    state: WorkloadState
    slurm_state: str
    """As Slurm writes it; several words are joined by +."""
    gpus: tuple[GpuClaim, ...]
    node_names: tuple[str, ...]
    node_gpus: tuple[tuple[str, int], ...] | Unknown
    """(node, cards) that Slurm gave to it; empty while it waits."""
    user: str | None
    partition: str | None
    submitted_at: datetime | None
    started_at: Maybe[datetime]
    pending_reason: str | None

    @property
    def id(self) -> str:
        """The id: Slurm numbers jobs again from 1, so the time of submission is in it."""
        submitted = self.submitted_at.isoformat() if self.submitted_at else ""
        return entity_id(EntityKind.SLURM_JOB, self.slurm_cluster, self.job_id, submitted)

    @property
    def controller(self) -> None:
        """Nothing: a job is nobody's child."""
        return None

    @property
    def holds_nodes(self) -> bool:
        """Whether Slurm has given it nodes that it has not given back."""
        words = self.slurm_state.split("+")
        return bool(self.node_names) and not HOLDING.isdisjoint(words)
