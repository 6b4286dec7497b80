"""What a tenant holds."""

import strawberry

from gateway.fleet.capacity import GpuBalance
from gateway.fleet.cost import total_cost
from gateway.fleet.gpu import Money
from gateway.fleet.node import Node
from gateway.fleet.platform import Tenant, Workspace
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.capacity import tenant_lines
from resolvers.context import Info
from resolvers.inputs import CapacityFilter, NodeFilter, NodeOrder
from resolvers.node import machines_of, node_cost
from resolvers.node_list import node_page
from resolvers.paging import Asked, Page, page


def nodes(
    tenant: strawberry.Parent[Tenant],
    info: Info,
    first: int = 50,
    after: str | None = None,
    filter: NodeFilter | None = None,
    order_by: NodeOrder | None = None,
) -> Page[Node] | Unknown:
    """The machines that it holds, those that left the fleet too."""
    fleet = info.context.fleet
    asked = Asked(first=first, after=after, scope=("nodes", tenant.id))
    return node_page(machines_of(tenant, fleet), fleet, asked, filter, order_by)


def workspaces(
    tenant: strawberry.Parent[Tenant], info: Info, first: int = 50, after: str | None = None
) -> Maybe[Page[Workspace]]:
    """Its workspaces, by name."""
    every = info.context.fleet.listings.platform.workspaces.values()
    rows = (((one.name,), one) for one in every if one.tenant_name == tenant.name)
    return page(rows, Asked(first=first, after=after, scope=("workspaces", tenant.id)))


def capacity(
    tenant: strawberry.Parent[Tenant], info: Info, filter: CapacityFilter | None = None
) -> Maybe[list[GpuBalance]]:
    """The account of its machines and workspaces: only GPU types that it holds."""
    return tenant_lines(tenant, info.context.fleet, filter)


def cost_per_hour(tenant: strawberry.Parent[Tenant], info: Info) -> Maybe[Money]:
    """What its machines cost an hour."""
    fleet = info.context.fleet
    return total_cost(node_cost(node, fleet) for node in machines_of(tenant, fleet) if _is_there(node))


def _is_there(node: Node) -> bool:
    """Whether a system that has machines knows it, or is silent and may."""
    return node.kubernetes is not None or node.slurm is not None
