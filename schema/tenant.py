"""Who holds machines."""

import strawberry

from gateway.fleet import platform as records
from resolvers import tenant as resolve
from schema.capacity import GpuBalance
from schema.entity import Entity
from schema.gpu import Money
from schema.node import Node
from schema.paging import Connection
from schema.provenance import platform
from schema.view import answer, attribute, view
from schema.workspace import Workspace


@view(records.Tenant)
class Tenant(Entity):
    """Who holds machines and has workspaces."""

    id: strawberry.ID
    name: str = attribute("", platform("tenant.name"))
    display_name: str | None = attribute("For people.", platform("tenant.display_name"))
    nodes: Connection[Node] | None = answer(resolve.nodes)
    workspaces: Connection[Workspace] | None = answer(resolve.workspaces)
    capacity: list[GpuBalance] | None = answer(resolve.capacity)
    cost_per_hour: Money | None = answer(resolve.cost_per_hour)
