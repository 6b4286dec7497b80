"""How fresh each source is."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry

from gateway.errors import System
from gateway.fleet import source as records
from gateway.fleet.source import SourceState
from resolvers import source as resolve
from schema.entity import Entity
from schema.provenance import EVERY, derived
from schema.view import answer, attribute, view

if TYPE_CHECKING:
    from schema.cluster import Cluster

ORIGIN = derived("source-state", *EVERY)


@view(records.SkippedItem)
class SkippedItem:
    """A value or an object that could not be read; the rest of its listing was."""

    subject: str = attribute("The object.", ORIGIN)
    path: str = attribute("Where the value stands in it; empty for the object itself.", ORIGIN)
    raw: str = attribute("The text as it came.", ORIGIN)
    problem: str = attribute("Why it could not be read.", ORIGIN)
    since: datetime = attribute("When it was first seen so.", ORIGIN)


@view(records.SourceStatus)
class SourceStatus(Entity):
    """One listing of one system: how fresh it is, and what its last sync could not read."""

    id: strawberry.ID
    name: str = attribute("system/cluster/listing.", ORIGIN)
    system: System = attribute("Whose listing it is.", ORIGIN)
    cluster: Annotated["Cluster", strawberry.lazy("schema.cluster")] | None = answer(resolve.cluster)
    state: SourceState = attribute("How fresh it is now.", ORIGIN)
    last_success_at: datetime | None = attribute("When it was last heard of.", ORIGIN)
    last_attempt_at: datetime | None = attribute("When it was last tried.", ORIGIN)
    consecutive_failures: int = attribute("In a row, up to now.", ORIGIN)
    error: str | None = attribute("What went wrong last.", ORIGIN)
    objects: int | None = attribute("How many it told of; null where it never answered.", ORIGIN)
    skipped: list[SkippedItem] = attribute("What could not be read.")
