"""Why cards are not usable: what the gateway finds, and what its health monitor wrote down."""

import enum
from dataclasses import dataclass
from datetime import datetime

from gateway.fleet.unknown import Maybe


class HealthCode(enum.Enum):
    """Why cards are not usable."""

    NOT_READY = "NOT_READY"
    NO_CAPACITY = "NO_CAPACITY"
    CARDS_LOST = "CARDS_LOST"
    DEVICE_PLUGIN_MISSING = "DEVICE_PLUGIN_MISSING"
    DEVICE_PLUGIN_CRASHING = "DEVICE_PLUGIN_CRASHING"
    DRIVER_UPGRADE = "DRIVER_UPGRADE"
    MIG_CHANGE = "MIG_CHANGE"
    MIG_FAILED = "MIG_FAILED"
    MIG_INVALID = "MIG_INVALID"
    LABELS_STALE = "LABELS_STALE"
    LABELS_CONTRADICT = "LABELS_CONTRADICT"
    SLURM_DOWN = "SLURM_DOWN"
    UNKNOWN_CARDS = "UNKNOWN_CARDS"
    OTHER = "OTHER"


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthReason:
    """One finding about a node's GPUs."""

    code: HealthCode
    message: str
    since: Maybe[datetime] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedHealth:
    """What the health monitor wrote down; it alone writes it."""

    healthy: bool
    reasons: tuple[HealthReason, ...]
    checked_at: datetime
