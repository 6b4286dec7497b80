"""Why a change was not made: values that a caller is shown, never exceptions."""

import enum
from dataclasses import dataclass

from gateway.fleet.capacity import GpuBalance
from gateway.fleet.mig import MigProfile
from gateway.fleet.pod import Pod
from gateway.fleet.slurm import SlurmJob


class ProblemCode(enum.Enum):
    """The kind of reason."""

    NOT_FOUND = "NOT_FOUND"
    FORBIDDEN = "FORBIDDEN"
    INVALID = "INVALID"
    GENERATION_CONFLICT = "GENERATION_CONFLICT"
    WORKLOADS_RUNNING = "WORKLOADS_RUNNING"
    EXCEEDS_CAPACITY = "EXCEEDS_CAPACITY"
    INVALID_MIG_LAYOUT = "INVALID_MIG_LAYOUT"
    NO_RECORD = "NO_RECORD"
    WRONG_TARGET = "WRONG_TARGET"
    FOREIGN_OWNER = "FOREIGN_OWNER"
    SOURCE_SILENT = "SOURCE_SILENT"
    UNDETERMINED = "UNDETERMINED"
    KEY_REUSED = "KEY_REUSED"
    OTHER = "OTHER"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why nothing was changed."""

    code: ProblemCode
    message: str
    """Names the thing and the fix."""
    path: tuple[str, ...] | None = None
    """The part of the input that it is about."""
    retryable: bool = False
    """The same again may work, without anybody doing anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused(Problem):
    """Not to be done as asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationConflict(Problem):
    """Somebody changed it since."""

    current_generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidMigLayout(Problem):
    """No card can be cut that way."""

    card: int | None
    valid_profiles: tuple[MigProfile, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadsRunning(Problem):
    """Work would be taken away that was not acknowledged."""

    unacknowledged: tuple[Pod | SlurmJob, ...]
    hidden: bool = False
    """Work that this caller may not see is there too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExceedsCapacity(Problem):
    """There are not so many healthy cards."""

    balance: GpuBalance
