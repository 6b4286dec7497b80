"""Where systems disagree."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry

from gateway.errors import System
from gateway.fleet import alert as records
from gateway.fleet.alert import AlertKind, RemedyAction, Severity
from resolvers import alert as resolve
from schema.entity import Entity
from schema.provenance import EVERY, derived
from schema.view import answer, attribute, view

if TYPE_CHECKING:
    from schema.cluster import Cluster
    from schema.tenant import Tenant

ORIGIN = derived("alert", *EVERY)


@view(records.Evidence)
class Evidence:
    """What one system says."""

    system: System = attribute("Who says it.", ORIGIN)
    path: str = attribute("Where it stands there.", ORIGIN)
    value: str | None = attribute("As it is written; null: the thing is not there.", ORIGIN)
    observed_at: datetime | None = attribute("When that system was last heard of.", ORIGIN)


@view(records.Remedy)
class Remedy:
    """What to do about it: a kind for bots, a sentence for people, and to what."""

    action: RemedyAction = attribute("For bots.", ORIGIN)
    text: str = attribute("For people.", ORIGIN)
    subject: Entity | None = answer(resolve.remedy_subject, needs=EVERY)


@view(records.Alert)
class Alert(Entity):
    """Two systems disagree, or one stopped telling the truth."""

    id: strawberry.ID
    kind: AlertKind = attribute("What is wrong.", ORIGIN, of="finding")
    code: str = attribute("The kind as text, also for kinds newer than the client.", ORIGIN, of="finding")
    severity: Severity = attribute("How soon somebody should look.", ORIGIN, of="finding")
    subject: Entity | None = answer(resolve.subject, needs=EVERY)
    subject_name: str = attribute("What it is about, also where that is gone.", ORIGIN, of="finding")
    cluster: Annotated["Cluster", strawberry.lazy("schema.cluster")] | None = answer(resolve.cluster)
    tenant: Annotated["Tenant", strawberry.lazy("schema.tenant")] | None = answer(
        resolve.tenant, needs=[System.PLATFORM]
    )
    message: str = attribute("One sentence, with the numbers.", ORIGIN, of="finding")
    remedies: list[Remedy] = attribute("What to do about it.", of="finding")
    claim: Evidence | None = attribute("What one system says.", of="finding")
    evidence: list[Evidence] = attribute(
        "What the others say, or what it itself says elsewhere.", of="finding"
    )
    first_seen: datetime = attribute("Since when it is so, as far as anybody looked.", ORIGIN)
    last_seen: datetime = attribute("When it was found last.", ORIGIN)
    resolved_at: datetime | None = attribute("When it was over; null while it is not.", ORIGIN)
