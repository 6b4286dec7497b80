"""Alerts: where two systems disagree, or one stopped telling the truth."""

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from gateway.errors import System
from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.table import Table


class AlertKind(enum.Enum):
    """What is wrong. docs/alerts.md says of each what it means and what to do."""

    ORPHANED_RECORD = "ORPHANED_RECORD"
    TARGET_CONFLICT = "TARGET_CONFLICT"
    SKIPPED_SYNC = "SKIPPED_SYNC"
    SLICES_COUNTED_AS_CARDS = "SLICES_COUNTED_AS_CARDS"
    READY_WITHOUT_CAPACITY = "READY_WITHOUT_CAPACITY"
    TYPE_NOT_ALLOCATED = "TYPE_NOT_ALLOCATED"
    DESERVED_INCOMPLETE = "DESERVED_INCOMPLETE"
    OVER_ALLOCATED = "OVER_ALLOCATED"
    UNMANAGED_NODE = "UNMANAGED_NODE"
    CARDS_LOST = "CARDS_LOST"
    PROFILE_DRIFT = "PROFILE_DRIFT"
    RECONCILE_STUCK = "RECONCILE_STUCK"
    FOREIGN_CORDON = "FOREIGN_CORDON"
    USAGE_DRIFT = "USAGE_DRIFT"
    QUOTA_WITHOUT_EFFECT = "QUOTA_WITHOUT_EFFECT"
    SOURCE_STALE = "SOURCE_STALE"
    SOURCE_DOWN = "SOURCE_DOWN"
    IMPLAUSIBLE_COUNT = "IMPLAUSIBLE_COUNT"
    GPU_QUOTA_HIGH = "GPU_QUOTA_HIGH"
    GPUS_EXHAUSTED = "GPUS_EXHAUSTED"
    OTHER = "OTHER"


class Severity(enum.Enum):
    """How soon somebody should look."""

    CRITICAL = "CRITICAL"
    """Work is hurt now, or a number that people plan by is wrong."""
    WARNING = "WARNING"
    """It will hurt."""
    INFO = "INFO"
    """Nothing is wrong; it is good to know."""


class RemedyAction(enum.Enum):
    """What to do, for bots."""

    FREE_WORKLOADS = "FREE_WORKLOADS"
    CHANGE_MIG_LAYOUT = "CHANGE_MIG_LAYOUT"
    UNCORDON = "UNCORDON"
    CHANGE_TARGET = "CHANGE_TARGET"
    RAISE_ALLOCATION = "RAISE_ALLOCATION"
    RAISE_QUOTA = "RAISE_QUOTA"
    CHANGE_QUEUE = "CHANGE_QUEUE"
    CHANGE_REQUEST = "CHANGE_REQUEST"
    ADD_TOLERATION = "ADD_TOLERATION"
    REPAIR_NODE = "REPAIR_NODE"
    WAIT = "WAIT"
    OTHER = "OTHER"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """What to do about it: a kind for bots, a sentence for people, and to what."""

    action: RemedyAction
    text: str
    subject: str | None = None
    """The id of what to do it to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What one system says."""

    system: System
    path: str
    value: str | None
    """None: the thing is not there."""
    observed_at: datetime | None = field(default=None, compare=False)
    """When the system was last heard of; hearing the same again is no news."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a rule finds at one moment."""

    kind: AlertKind
    severity: Severity
    subject: str
    """The id of what it is about."""
    subject_name: str
    cluster: str | None
    tenant: str | None
    message: str
    claim: Evidence | None
    """What one system says."""
    evidence: tuple[Evidence, ...]
    """What the others say."""
    remedies: tuple[Remedy, ...]
    detail: str = ""
    """Tells findings of one kind about one subject from each other."""
    rests_on: frozenset[System] = frozenset()
    """Systems that decide it and are not quoted."""
    lasts: timedelta = timedelta(0)
    """How long it must be found without a break before it is an alert."""

    @property
    def id(self) -> str:
        """The same while the same is wrong with the same thing."""
        return entity_id(EntityKind.ALERT, self.kind.value, self.subject, self.detail)

    @property
    def code(self) -> str:
        """The kind as text, for clients that are older than it."""
        return self.kind.value

    @property
    def systems(self) -> frozenset[System]:
        """Whose words it rests on: without them nobody can say that it is over."""
        told = (*self.evidence, self.claim) if self.claim else self.evidence
        return self.rests_on.union(one.system for one in told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A finding over time."""

    id: str
    finding: Finding
    """As it was found last."""
    first_seen: datetime
    last_seen: datetime
    resolved_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is not resolved."""
        return self.resolved_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What a replica has to tell of its alerts."""

    at: datetime
    changed: tuple[Alert, ...]
    """Raised, or found in other words than before."""
    seen: tuple[Alert, ...]
    """Those that were found since this was told last."""
    gone: tuple[str, ...]
    """Ids of those that are over: not found for the whole of `holds`."""
    holds: timedelta


REMEMBERED = timedelta(days=30)
"""How long an alert that is over is kept."""
MOST_KEPT = 10_000
"""Of those that are over."""
Alerts = Table[str, Alert]
"""All that are kept, by id."""


def _named(name: str | None) -> Iterable[str]:
    return (name,) if name else ()


NO_ALERTS: Alerts = Table(
    subject=lambda alert: (alert.finding.subject,),
    cluster=lambda alert: _named(alert.finding.cluster),
    tenant=lambda alert: _named(alert.finding.tenant),
)
"""Nothing was found yet."""
