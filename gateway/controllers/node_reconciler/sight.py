"""What a step is decided by: a wish, what was read live, and what the fleet tells beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from gateway.fleet.desired import Blocker, NodeDesired, ReconcilePhase
from gateway.fleet.live import EffectResult, LayoutsFile, LiveNode, LivePod
from gateway.fleet.placement.offer import Offer
from gateway.fleet.unknown import Maybe
from gateway.fleet.wish import Progress, Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What a wished layout comes to on one node."""

    config: str
    """What the label names."""
    text: str | None
    """The configuration itself, where the gateway must add it; None: the MIG manager has it."""
    expected: Offer
    """What the node must offer afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long and how much at once."""

    drain_timeout: timedelta = timedelta(minutes=30)
    max_in_change: int = 1
    adopt_from: frozenset[str] = frozenset({"gpu-operator"})
    """Field managers from which the label may be taken over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Others:
    """What other nodes of the cluster mean for this one."""

    in_change: tuple[str, ...] = ()
    """Those that are out of service for a layout."""
    failed: str | None = None
    """One of the same GPU type on which the same layout failed."""


_NO_LAYOUTS = LayoutsFile(names=frozenset(), ours={}, is_ours=False, where="no ConfigMap")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """One node as it was read just now."""

    node: LiveNode | None
    pods: tuple[LivePod, ...] = ()
    """This and all that follows is only read where a layout is in work."""
    managers: tuple[LivePod, ...] = ()
    """The MIG manager's pods there."""
    plugins: tuple[LivePod, ...] = ()
    """The device plugin's."""
    layouts: LayoutsFile = _NO_LAYOUTS
    aim: Maybe[Aim] = None
    """None: no layout is wished."""
    slurm: tuple[Blocker, ...] = ()
    """What Slurm has against a change."""
    others: Others = field(default_factory=Others)
    tried: Mapping[str, EffectResult] = field(default_factory=dict)
    """What came of trying each eviction, by the pod's uid; only before anything is touched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Everything that decides the next step of a node that is there."""

    wish: Wish
    desired: NodeDesired
    progress: Progress
    node: LiveNode
    sight: Sight
    limits: Limits
    now: datetime

    @property
    def begun(self) -> bool:
        """Whether an effect of this change was claimed already."""
        return self.progress.began_at is not None

    @property
    def tried_for(self) -> timedelta:
        """How long the change goes on."""
        return self.now - (self.progress.began_at or self.now)


def carried(wish: Wish) -> Progress:
    """What of the progress is about what is wished now: another layout, or another try, begins anew.

    That a label was written and never verified stays true whatever is wished.
    """
    desired, observed, progress = wish.desired, wish.observed, wish.progress
    if desired is None or observed is None:
        return Progress()
    if observed.generation >= max(desired.layout_generation, desired.retried):
        return progress
    # A cordon that is still to be given back counts as out of service, whatever is wished.
    is_kept = progress.unverified or desired.mig_layout is None
    return Progress(unverified=progress.unverified, began_at=progress.began_at if is_kept else None)


def has_failed(wish: Wish) -> bool:
    """Whether what is wished was given up for good, and nobody asked for another try."""
    desired, observed = wish.desired, wish.observed
    if desired is None or observed is None or observed.phase is not ReconcilePhase.FAILED:
        return False
    return observed.generation >= max(desired.layout_generation, desired.retried)
