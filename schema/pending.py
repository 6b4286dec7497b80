"""Why work waits or waited."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry

from gateway.errors import System
from gateway.fleet.pending import reason as records
from gateway.fleet.reasons import reason as parsed
from gateway.fleet.reasons.reason import PendingCode
from resolvers import pending as resolve
from schema.provenance import derived, platform
from schema.view import answer, attribute, view

if TYPE_CHECKING:
    from schema.pod import Pod

_READ = derived("pending-reason", System.PLATFORM)


@view(parsed.PendingPart)
class PendingPart:
    """One part of a reason: 3 nodes said Insufficient nvidia.com/mig-4g.20gb."""

    nodes: int = attribute("How many nodes say so; 0 where it is not about nodes.", _READ)
    code: PendingCode = attribute("The kind, for bots.", _READ)
    resource: str | None = attribute("The resource that it is about.", _READ)
    text: str = attribute("As it was said.", _READ)


@view(records.PendingReason)
class PendingReason:
    """Why something waits or waited, as a scheduler or an admission says."""

    namespace: str = attribute("Where the work is.", platform("pending_reason.namespace"))
    pod_name: str | None = attribute(
        "The pod that waits; null where none came to be.", platform("pending_reason.pod_name")
    )
    pod: Annotated["Pod", strawberry.lazy("schema.pod")] | None = answer(
        resolve.pod, needs=[System.KUBERNETES]
    )
    controller: str | None = attribute(
        "kind/name of its owner, or of what could not make a pod.", platform("pending_reason.controller")
    )
    code: PendingCode = attribute(
        "The kind, for bots: of all that is said, what is nearest to running.", _READ
    )
    message: str = attribute("As it was said last.", platform("pending_reason.message"))
    scheduler: str = attribute("Who says so.", platform("pending_reason.scheduler"))
    first_seen: datetime = attribute("When it was said first.", platform("pending_reason.first_seen"))
    last_seen: datetime = attribute("When it was said last.", platform("pending_reason.last_seen"))
    count: int = attribute("How often, as far as events count it.", platform("reason_event.count"))
    total_nodes: int | None = attribute(
        "How many nodes were looked at; null where it does not say.", platform("pending_reason.total_nodes")
    )
    parts: list[PendingPart] = attribute("What is said, part by part.")
    resolved_at: datetime | None = attribute(
        "When it no longer held; null while it does.", platform("pending_reason.resolved_at")
    )
