"""A condition as Kubernetes objects carry it."""

from dataclasses import dataclass
from datetime import datetime

from gateway.fleet.unknown import Maybe


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One aspect of an object's state."""

    type: str
    status: str
    reason: str | None
    message: str | None
    since: Maybe[datetime]
