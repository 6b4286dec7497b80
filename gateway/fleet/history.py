"""Who changed which field, from what to what, and when."""

import enum
from dataclasses import dataclass
from datetime import datetime


class Writer(enum.Enum):
    """Who may write: each its own fields, held by the database."""

    API = "API"
    RECONCILER = "RECONCILER"
    HEALTH_MONITOR = "HEALTH_MONITOR"
    RECORDER = "RECORDER"
    OTHER = "OTHER"
    """Somebody with rights of their own, as an administrator of the database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One change of one field."""

    number: int
    """Grows with every change of any field: what pages go by."""
    field: str
    """Its path in the schema, as desired.migLayout."""
    writer: Writer
    actor: str
    before: str | None
    """In the form that the input takes, as text."""
    after: str | None
    at: datetime
    generation: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryAsked:
    """A page of the changes of one node's fields, newest first."""

    cluster: str
    node: str
    before: int | None
    """Only changes with a lower number; None: from the newest."""
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """One page of a node's changes."""

    changes: tuple[FieldChange, ...]
    """Newest first."""
    total: int
    """How many there are on all pages."""
