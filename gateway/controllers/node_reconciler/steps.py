"""One step of a node: how far it is from now on, and at most one effect."""

from dataclasses import dataclass, field
from typing import TypeAlias

from gateway.fleet.desired import Blocker, ReconcilePhase
from gateway.fleet.live import LivePod
from gateway.fleet.wish import Progress


@dataclass(frozen=True, slots=True)
class Cordon:
    """Keep new work off the node."""

    key = "cordon"


@dataclass(frozen=True, slots=True)
class GiveBack:
    """Take our cordon away."""

    key = "uncordon"


@dataclass(frozen=True, slots=True)
class SetLabel:
    """Have the MIG manager apply a configuration."""

    config: str
    key = "label"


@dataclass(frozen=True, slots=True)
class AddLayout:
    """Give the MIG manager a configuration that it does not have."""

    name: str
    text: str
    key = "layout"


@dataclass(frozen=True, slots=True)
class Evict:
    """End a workload that was acknowledged."""

    pod: LivePod

    @property
    def key(self) -> str:
        """Names this very pod, where refusals are counted too."""
        return f"evict {self.pod.namespace}/{self.pod.name} {self.pod.uid}"


@dataclass(frozen=True, slots=True)
class Nudge:
    """Delete the MIG manager's pod, so that a new one reads the label."""

    pod: LivePod
    key = "mig-manager"


@dataclass(frozen=True, slots=True)
class RestartPlugin:
    """Delete the device plugin's pod, so that a new one reads the slices."""

    pod: LivePod
    key = "device-plugin"


Act: TypeAlias = Cordon | GiveBack | SetLabel | AddLayout | Evict | Nudge | RestartPlugin


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How far a node is, and what is done next."""

    phase: ReconcilePhase
    message: str
    blockers: tuple[Blocker, ...] = ()
    progress: Progress = field(default_factory=Progress)
    verified: bool = False
    """The wished layout is there: it is never acted on again."""
    act: Act | None = None
    twice: bool = False
    """Only what a second look some seconds later comes to as well: bindings still arrive after a cordon."""
