"""The slices of one profile on one machine."""

from typing import TYPE_CHECKING, Annotated

import strawberry

from gateway.errors import System
from gateway.fleet import mig as records
from gateway.fleet.unit import GpuUnit
from resolvers import mig as resolve
from schema.entity import Entity
from schema.mig import MigProfile
from schema.provenance import derived, kubernetes
from schema.view import answer, attribute, view

if TYPE_CHECKING:
    from schema.node import Node
    from schema.pod import Pod

KUBERNETES = System.KUBERNETES


@view(records.MigSlice)
class MigSlice(Entity):
    """The slices of one profile on one node, a group: Kubernetes counts slices and does not name them.

    The length of a list of these is no count of slices. unit is SLICE, or SHARE where the slices are
    shared; the four numbers count it. slices: how many instances.
    """

    id: strawberry.ID
    node: Annotated["Node", strawberry.lazy("schema.node")] = answer(resolve.node)
    profile: MigProfile = attribute("How the card is cut.")
    resource_name: str = attribute("The resource key.", kubernetes("status.capacity"))
    unit: GpuUnit = attribute("What the four numbers count.", derived("unit", KUBERNETES))
    slices: int | None = attribute("How many instances.", derived("slices", KUBERNETES))
    capacity: int | None = attribute("Healthy and unhealthy.", kubernetes("status.capacity[resourceName]"))
    allocatable: int | None = attribute("Healthy.", kubernetes("status.allocatable[resourceName]"))
    requested: int | None = attribute(
        "What bound pods that have not ended ask.", derived("requested", KUBERNETES)
    )
    free: int | None = attribute("What Kubernetes would still give.", derived("free", KUBERNETES))
    pods: list[Annotated["Pod", strawberry.lazy("schema.pod")]] | None = answer(
        resolve.pods, needs=[KUBERNETES]
    )
