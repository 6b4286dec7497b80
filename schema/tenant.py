"""Who holds machines."""

import strawberry

from gateway.errors import System
from gateway.fleet import platform as records
from resolvers import alert as alerting
from resolvers import tenant as resolve
from schema.alert import Alert
from schema.capacity import GpuBalance
from schema.entity import Entity
from schema.gpu import Money
from schema.node import Node
from schema.paging import Connection
from schema.provenance import EVERY, MACHINES, platform
from schema.view import answer, attribute, view
from schema.workspace import Workspace


@view(records.Tenant)
class Tenant(Entity):
    """Who holds machines and has workspaces."""

    id: strawberry.ID
    name: str = attribute("Its name, one in all records.", platform("tenant.name"))
    display_name: str | None = attribute("For people.", platform("tenant.display_name"))
    nodes: Connection[Node] | None = answer(resolve.nodes, needs=[System.PLATFORM])
    workspaces: Connection[Workspace] | None = answer(resolve.workspaces, needs=[System.PLATFORM])
    capacity: list[GpuBalance] | None = answer(resolve.capacity, needs=MACHINES)
    cost_per_hour: Money | None = answer(resolve.cost_per_hour, needs=MACHINES)
    alerts: Connection[Alert] | None = answer(alerting.of_tenant, needs=EVERY)
