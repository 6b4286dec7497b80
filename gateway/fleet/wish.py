"""What the reconciler reads of a node's record, and what it writes there before each effect."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from gateway.fleet.desired import RESTING, Blocker, NodeDesired, NodeObserved, ReconcilePhase
from gateway.fleet.placement.offer import Offer
from gateway.fleet.platform import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a change must remember over a restart, which no system tells."""

    began_at: datetime | None = None
    """When its first effect was claimed; None again once our cordon is known to be given back."""
    labelled_at: datetime | None = None
    boot_id: str | None = None
    """Of the node when the label was set: another one tells of a reboot."""
    nudged: bool = False
    """The MIG manager's pod was deleted once to make it look again."""
    refusals: Mapping[str, int] = field(default_factory=dict)
    """How often in a row the server refused, by what was asked."""
    config: str | None = None
    """The configuration that the label is to name, as decided before anything was touched."""
    expected: Offer | None = None
    """What the node must offer afterwards; decided then too."""
    unverified: bool = False
    """The label was written, for this layout or one before it, and no slices were verified since."""
    applied_at: datetime | None = None
    """When the MIG manager's success was first seen."""
    restarted: bool = False
    """The device plugin's pod was deleted once."""
    gave_up: bool = False
    """The drain took too long, and the cordon is given back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One node's record, as the reconciler reads it."""

    cluster: str
    node: str
    target: Target | None
    desired: NodeDesired | None
    observed: NodeObserved | None
    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """How far a node is from now on; written only while the wish, the leader and the pause allow it."""

    epoch: int
    cluster: str
    node: str
    generation: int
    """Of the wish that is carried out."""
    phase: ReconcilePhase
    message: str
    blockers: tuple[Blocker, ...] = ()
    layout_converged: int | None = None
    """None: as it was."""
    progress: Progress = Progress()


def is_out_of_service(observed: NodeObserved | None, progress: Progress) -> bool:
    """Whether a change has the node: it is under way, or it stopped and our cordon is still there."""
    if observed is None or observed.phase is ReconcilePhase.CONVERGED:
        return False
    return observed.phase not in RESTING or progress.began_at is not None
