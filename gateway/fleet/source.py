"""How fresh each source is, and what its last sync could not read."""

import enum
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from gateway.errors import System
from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.unknown import Unknown, UnknownCode


class SourceKey(NamedTuple):
    """One listing that is kept fresh by itself."""

    system: System
    place: str
    """The cluster, or the Slurm; empty for the platform."""
    kind: str
    """What is listed: nodes, pods, events, resourceslices, resourceclaims, resourcequotas, limitranges,
    namespaces, runtimeclasses, workloads, operands, migconfigs, version, queues, podgroups, scheduler, jobs,
    records, reasons."""


class SourceState(enum.Enum):
    """FRESH, or why not. ABSENT: it is not there, and nothing is expected of it."""

    FRESH = "FRESH"
    STALE = "STALE"
    """Contact is lost or late; values are shown with their age."""
    DOWN = "DOWN"
    """Older than `stale_after`; values are withheld."""
    NEVER = "NEVER"
    """Not reached since the gateway started."""
    ABSENT = "ABSENT"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedItem:
    """A value or an object that could not be read; the rest of its listing was."""

    subject: str
    path: str
    raw: str
    """The text as it came, at most 200 characters of it."""
    problem: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """What a source has of its system: when it answered, when it was tried, what went wrong."""

    fresh_for: timedelta
    """How long an answer counts as current: longer means that contact is late."""
    stale_after: timedelta
    """How long an old value is still shown."""
    last_success_at: datetime | None = None
    last_attempt_at: datetime | None = None
    consecutive_failures: int = 0
    error: str | None = None
    retryable: bool = True
    absent: bool = False
    skipped: tuple[SkippedItem, ...] = ()

    def succeeded(self, at: datetime) -> "Contact":
        """The same contact after an answer."""
        return replace(
            self, last_success_at=at, last_attempt_at=at, consecutive_failures=0, error=None, absent=False
        )

    def failed(self, at: datetime, error: str, *, retryable: bool = True) -> "Contact":
        """The same contact after a failure."""
        failures = self.consecutive_failures + 1
        return replace(
            self, last_attempt_at=at, consecutive_failures=failures, error=error, retryable=retryable
        )

    def state(self, now: datetime) -> SourceState:
        """How fresh it is now."""
        if self.absent:
            return SourceState.ABSENT
        if self.last_success_at is None:
            return SourceState.NEVER
        age = now - self.last_success_at
        if age > self.stale_after:
            return SourceState.DOWN
        return SourceState.STALE if self.consecutive_failures or age > self.fresh_for else SourceState.FRESH

    def silence(self, key: SourceKey, now: datetime) -> Unknown | None:
        """The reason why nothing of it may be shown now, or None where it may."""
        state = self.state(now)
        if state not in {SourceState.NEVER, SourceState.DOWN}:
            return None
        never = state is SourceState.NEVER
        name = source_name(key)
        said = f": {self.error}" if self.error else ""
        return Unknown(
            code=UnknownCode.SOURCE_UNAVAILABLE if never else UnknownCode.SOURCE_STALE,
            system=key.system,
            place=key.place,
            reason=f"{name} was never reached{said}" if never else f"{name} is silent{said}",
            observed_at=self.last_success_at,
            retryable=self.retryable,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStatus:
    """What callers see of a source."""

    name: str
    system: System
    place: str
    state: SourceState
    last_success_at: datetime | None
    last_attempt_at: datetime | None
    consecutive_failures: int
    error: str | None
    objects: int | Unknown | None
    skipped: tuple[SkippedItem, ...] = field(default=())

    @property
    def id(self) -> str:
        """The id of this source."""
        return entity_id(EntityKind.SOURCE, self.name)


def source_name(key: SourceKey) -> str:
    """Name a source as people read it: kubernetes/fleet/nodes."""
    return "/".join(part for part in (key.system.value.lower(), key.place, key.kind) if part)
