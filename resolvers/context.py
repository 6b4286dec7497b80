"""What lives as long as one request."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import strawberry
from strawberry.dataloader import DataLoader

from gateway.fleet.fleet import Fleet
from gateway.fleet.history import History, HistoryAsked
from gateway.fleet.pending.kept import SaidNow
from gateway.fleet.pending.reason import Reasons, ReasonsAsked
from gateway.fleet.ports import PlatformWriter, ReasonArchive
from gateway.fleet.unknown import Unknown


class Note(NamedTuple):
    """A field that is null because a system is silent."""

    path: tuple[str | int, ...]
    unknown: Unknown


@dataclass(slots=True, kw_only=True)
class Context:
    """The fleet that every field of this request sees, and the silences that they met."""

    pin: Callable[[], Fleet]
    """The fleet by now: for who changed something."""
    fleet: Fleet
    writer: PlatformWriter | None = None
    """None: there are no platform records."""
    archive: ReasonArchive | None = None
    """What was kept of why work waits; None: nothing is kept."""
    actor: str = "anonymous"
    """Who asks, as history names it."""
    notes: list[Note] = field(default_factory=list)
    history: DataLoader[HistoryAsked, History] | None = None
    """Gathers what is asked of history at the same time; made by the first that asks."""
    reasons: DataLoader[ReasonsAsked, Reasons] | None = None
    """The same for kept reasons."""
    said: SaidNow | None = None
    """What is said now of why work waits, for where nothing is kept; made by the first that asks."""

    judged_nodes: int = 0
    """How many verdicts about nodes this request had made so far, for all of its diagnoses and asks."""

    def renew(self) -> None:
        """See everything as it is now."""
        self.fleet = self.pin()
        self.history = self.reasons = self.said = None


Info: TypeAlias = strawberry.Info[Context, None]
