"""A scheduler queue."""

from decimal import Decimal
from typing import Annotated

import strawberry

from gateway.errors import System
from gateway.fleet import quantity as quantity_records
from gateway.fleet import queue as records
from gateway.fleet.reclaim import reclaim as reclaim_records
from resolvers import queue as resolve
from schema.entity import Entity
from schema.provenance import derived, queues
from schema.unknown import Unknown
from schema.view import answer, attribute, unknowns, view

KUBERNETES, QUEUES = System.KUBERNETES, System.QUEUES


@view(quantity_records.Quantity)
class Quantity:
    """text as the system wrote it; value exact, in the resource's base unit."""

    resource: str = attribute("The resource key.", derived("quantity", KUBERNETES, QUEUES))
    text: str = attribute("As the system wrote it.", derived("quantity", KUBERNETES, QUEUES))
    value: Decimal | None = attribute(
        "Bytes, cores or devices; null with a reason in unknowns where it cannot be read.",
        derived("quantity", KUBERNETES, QUEUES),
    )
    unlimited: bool = attribute("No ceiling is meant.", derived("quantity", KUBERNETES, QUEUES))


@view(records.PodGroupCounts)
class PodGroupCounts:
    """Counted over PodGroups; the numbers in a Queue's status are left over from old releases."""

    pending: int = attribute("Not admitted.", derived("pod-groups", QUEUES))
    inqueue: int = attribute("Admitted, not placed; or its pods are gone.", derived("pod-groups", QUEUES))
    running: int = attribute("As many pods run as are needed.", derived("pod-groups", QUEUES))
    unknown: int = attribute("Some run, fewer than needed.", derived("pod-groups", QUEUES))
    completed: int = attribute("All its pods ended.", derived("pod-groups", QUEUES))


@view(reclaim_records.Reclaim)
class Reclaim:
    """What the queue cannot take back and does not give back, for the scheduler that runs."""

    scheduler: str | None = attribute(
        "Its release and the plugin that holds queues to shares; null where they are not known.",
        derived("reclaim", QUEUES),
    )
    blocked_as_asker: list[str] | None = attribute(
        "What pods ask that cannot take back this queue's share; null where what is known does not decide.",
        derived("reclaim", KUBERNETES, QUEUES),
    )
    blocked_as_holder: list[str] | None = attribute(
        "What it holds and others cannot take back; null where what is known does not decide.",
        derived("reclaim", KUBERNETES, QUEUES),
    )
    explanation: str = attribute(
        "Why, in words; where the release is not known, what each reading of deserved comes to.",
        derived("reclaim", KUBERNETES, QUEUES),
    )


@view(records.Queue)
class Queue(Entity):
    """A scheduler queue with a ceiling, a deserved share and a borrowing flag."""

    id: strawberry.ID
    name: str = attribute("Its name, one in a cluster.", queues("metadata.name"))
    state: str | None = attribute(
        "Open, Closed, Closing or Unknown; null where no controller ever ran.", queues("status.state")
    )
    parent: Annotated["Queue", strawberry.lazy("schema.queue")] | None = answer(
        resolve.parent, needs=[QUEUES]
    )
    capability: list[Quantity] | None = attribute("The ceiling: absent keys are unlimited.")
    deserved: list[Quantity] | None = attribute("Above it is reclaimable: absent keys are not unlimited.")
    guarantee: list[Quantity] | None = attribute("Reserved, never reclaimed.")
    allocated: list[Quantity] | None = attribute(
        "What bound tasks hold; terminating ones are left out, and a parent includes its children."
    )
    reclaimable: bool | None = attribute(
        "May others take back what it holds beyond its deserved share.", queues("spec.reclaimable")
    )
    pod_groups: PodGroupCounts | None = answer(resolve.pod_groups, needs=[QUEUES])
    missing_from_deserved: list[str] | None = answer(
        resolve.missing_from_deserved, derived("missing-from-deserved", KUBERNETES, QUEUES)
    )
    reclaim: Reclaim | None = answer(resolve.reclaim, needs=[KUBERNETES, QUEUES], is_part=True)
    unknowns: list[Unknown] = unknowns()
