"""What a caller asks to be changed, and what came of it."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TypeAlias

from gateway.fleet.desired import MigLayout
from gateway.fleet.platform import Target
from gateway.fleet.problem import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class SetCordon:
    """Keep new work off a node, or let it come again."""

    cluster: str
    node: str
    cordoned: bool
    reason: str | None = None
    if_generation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMigLayout:
    """Cut a node's cards in another way; no layout withdraws the wish."""

    cluster: str
    node: str
    layout: MigLayout | None
    node_uid: str | None = None
    """The uid of the Kubernetes node, as this replica sees it; filled in where the change is judged."""
    acknowledged: frozenset[str] = frozenset()
    if_generation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignNode:
    """Give a node that nobody holds to a tenant, for one target."""

    cluster: str
    node: str
    tenant: str
    target: Target
    acknowledged: frozenset[str] = frozenset()
    if_generation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseNode:
    """Take a node back from its tenant."""

    cluster: str
    node: str
    acknowledged: frozenset[str] = frozenset()
    if_generation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAllocation:
    """Give a workspace this many cards of a type; 0 takes all back."""

    tenant: str
    workspace: str
    gpu_type: str
    cards: int
    healthy: int | None = None
    """Healthy cards of the tenant's line as the caller's replica sees them; filled in where it is judged."""
    acknowledged: frozenset[str] = frozenset()
    if_generation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPrice:
    """What a card-hour of a type costs from some time on."""

    gpu_type: str
    amount: Decimal
    currency: str
    effective_from: datetime | None = None
    """None: from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPause:
    """Stop every effect of a controller, or let it go on."""

    controller: str
    paused: bool
    reason: str | None = None


NodeChange: TypeAlias = SetCordon | SetMigLayout | AssignNode | ReleaseNode
Change: TypeAlias = NodeChange | SetAllocation | SetPrice | SetPause


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """Makes a change at most once, however often it is asked for."""

    key: str
    fingerprint: bytes
    """SHA-256 of what was asked: the same key with other input is a mistake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A change that was judged, and who asks for it."""

    change: Change
    actor: str
    once: Once | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedChange:
    """One field that changes."""

    field: str
    """Its path in the schema, as desired.migLayout."""
    before: str | None
    """In the form that the input takes, as text."""
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a change came to."""

    changes: tuple[PlannedChange, ...]
    """Empty: it was so already."""
    generation: int | None
    """After it; None where the thing has none."""


Outcome: TypeAlias = Written | Problem
