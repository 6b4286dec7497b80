"""What lives as long as one request."""

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import strawberry

from gateway.fleet.fleet import Fleet
from gateway.fleet.unknown import Unknown


class Note(NamedTuple):
    """A field that is null because a system is silent."""

    path: tuple[str | int, ...]
    unknown: Unknown


@dataclass(slots=True, kw_only=True)
class Context:
    """The fleet that every field of this request sees, and the silences that they met."""

    fleet: Fleet
    notes: list[Note] = field(default_factory=list)


Info: TypeAlias = strawberry.Info[Context, None]
