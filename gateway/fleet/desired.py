"""What people and bots asked of a node, how far it was carried out, and what the health monitor saw."""

import enum
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileCount:
    """So many slices of one profile on a card."""

    profile: str
    """As nvidia-smi writes it: 1g.10gb, 1g.10gb+me."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLayout:
    """How some cards of a node are cut; no profiles: left whole."""

    devices: tuple[int, ...] | None
    """Indices of the cards; None: all cards."""
    profiles: tuple[ProfileCount, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MigLayout:
    """A named configuration of the MIG manager, or a layout card by card: exactly one."""

    config: str | None = None
    cards: tuple[CardLayout, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDesired:
    """What was asked of a node; the API alone writes it."""

    cordoned: bool
    cordon_reason: str | None
    mig_layout: MigLayout | None
    generation: int
    """Grows with every change of what is desired, the tenant and the target among it."""
    layout_generation: int
    """The generation in which the layout, its node or what was acknowledged changed last."""
    layout_uid: str | None
    """The uid of the Kubernetes node that the layout was asked for: one made anew is another machine."""
    acknowledged: frozenset[str]
    """Ids of the workloads that may be evicted for the layout."""
    changed_at: datetime
    changed_by: str
    retried: int = 0
    """The generation in which the same was asked again after it was given up; 0: never."""


class ReconcilePhase(enum.Enum):
    """How far the reconciler is with a node."""

    CORDONING = "CORDONING"
    DRAINING = "DRAINING"
    APPLYING = "APPLYING"
    """The label is set, and the MIG manager is at work."""
    RESTARTING_DEVICE_PLUGIN = "RESTARTING_DEVICE_PLUGIN"
    VERIFYING = "VERIFYING"
    UNCORDONING = "UNCORDONING"
    CONVERGED = "CONVERGED"
    BLOCKED = "BLOCKED"
    """Something stands in the way that somebody else must remove."""
    FAILED = "FAILED"
    """Given up for this generation."""
    OTHER = "OTHER"


RESTING = frozenset({ReconcilePhase.CONVERGED, ReconcilePhase.BLOCKED, ReconcilePhase.FAILED})
"""Phases in which no change is in progress."""


class BlockCause(enum.Enum):
    """What kind of thing stands in the way."""

    WORKLOAD = "WORKLOAD"
    DISRUPTION_BUDGET = "DISRUPTION_BUDGET"
    FINALIZER = "FINALIZER"
    ADMISSION = "ADMISSION"
    FIELD_MANAGER = "FIELD_MANAGER"
    PERSON = "PERSON"
    MIG_MANAGER = "MIG_MANAGER"
    DEVICE_PLUGIN = "DEVICE_PLUGIN"
    DRIVER_UPGRADE = "DRIVER_UPGRADE"
    NODE_NOT_READY = "NODE_NOT_READY"
    NODE_LEAVING = "NODE_LEAVING"
    HOLD = "HOLD"
    PAUSED = "PAUSED"
    LIMIT = "LIMIT"
    OTHER = "OTHER"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker:
    """What stands in the way, by name."""

    cause: BlockCause
    name: str
    workload_id: str | None = None
    """The id of the workload that it is about, where it is about one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeObserved:
    """How far the reconciler got with which generation; the reconciler alone writes it."""

    phase: ReconcilePhase
    generation: int
    layout_converged: int
    """The layout generation that was verified last, never acted on again; 0: none."""
    converged: bool
    """This generation is the desired one, and everything is verified."""
    message: str
    blockers: tuple[Blocker, ...]
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """A controller, as it is known to the database."""

    name: str
    """As node-reconciler/fleet: what it does, and for which cluster."""
    leader: str | None
    epoch: int | None
    """Grows with every new leader: what an older one still writes is refused; None: none led yet."""
    paused: bool
    paused_by: str | None
    reason: str | None
    in_change: int | None
    """Nodes that it has out of service now; None where that is not counted."""
    max_in_change: int | None
    """None until a leader has told."""


def reconciler_of(cluster: str) -> str:
    """The name of the controller that carries out what is desired of a cluster's nodes."""
    return f"node-reconciler/{cluster}"
