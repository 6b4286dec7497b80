"""A reason why work waits, over time; and one sighting of it."""

from dataclasses import dataclass
from datetime import datetime

from gateway.fleet.reasons.reason import PendingCode, PendingPart


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonKey:
    """Tells reasons apart: of whom, and what is said; names, order and counts do not matter."""

    cluster: str
    subject: str
    """The uid of the pod, or of its group or owner where no pod can be named."""
    said: bytes
    """SHA-256 of the reason without what changes from attempt to attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What one object says at one moment of why work waits."""

    key: ReasonKey
    origin: str
    """The uid of the event that says so; empty for a condition. It counts once, however often it is read."""
    namespace: str
    pod_name: str | None
    controller: str | None
    """kind/name of the pod's owner, or of what could not make a pod."""
    code: PendingCode
    message: str
    scheduler: str
    total_nodes: int | None
    parts: tuple[PendingPart, ...]
    first_seen: datetime
    last_seen: datetime
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingReason:
    """Why something waits or waited."""

    number: int
    """Grows with every reason that is first seen: what pages go by."""
    key: ReasonKey
    namespace: str
    pod_name: str | None
    """None: no pod came to be."""
    controller: str | None
    code: PendingCode
    message: str
    scheduler: str
    first_seen: datetime
    last_seen: datetime
    count: int
    """How often it was said, as far as events count it."""
    total_nodes: int | None
    parts: tuple[PendingPart, ...]
    resolved_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReason:
    """A reason that is not resolved, as it is kept."""

    key: ReasonKey
    namespace: str
    pod_name: str | None
    controller: str | None
    code: PendingCode
    scheduler: str
    last_seen: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonNews:
    """What the recorder has to tell."""

    at: datetime
    seen: tuple[Sighting, ...]
    over: tuple[ReasonKey, ...]
    forget: datetime
    """What was resolved before this is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonsAsked:
    """A page of kept reasons, newest first."""

    cluster: str
    namespaces: tuple[str, ...] | None
    """None: all of the cluster."""
    subjects: tuple[str, ...] | None
    """Only of these uids; None: of all."""
    before: int | None
    """Only reasons with a lower number; None: from the newest."""
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasons:
    """One page of kept reasons."""

    reasons: tuple[PendingReason, ...]
    """Newest first."""
    total: int
    """How many there are on all pages."""
