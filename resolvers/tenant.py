"""What a tenant holds."""

from dataclasses import replace

import strawberry

from gateway.errors import System
from gateway.fleet.capacity import GpuBalance
from gateway.fleet.cost import total_cost
from gateway.fleet.gpu import Money
from gateway.fleet.node import Node
from gateway.fleet.platform import Tenant, Workspace
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.cluster import account
from resolvers.context import Info
from resolvers.inputs import CapacityFilter, NodeFilter, NodeOrder, chosen
from resolvers.node import node_cost, node_page
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
    found = fleet.nodes_of_tenant(tenant.name)
    if isinstance(found, Unknown):
        return found
    asked = Asked(first=first, after=after, scope=f"nodes of {tenant.name}")
    return node_page(found.values(), fleet, asked, filter, order_by)


def workspaces(
    tenant: strawberry.Parent[Tenant], info: Info, first: int = 50, after: str | None = None
) -> Page[Workspace] | Unknown:
    """Its workspaces, by name."""
    platform = info.context.fleet.platform
    if isinstance(platform, Unknown):
        return platform
    rows = (((one.name,), one) for one in platform.workspaces.values() if one.tenant_name == tenant.name)
    return page(rows, Asked(first=first, after=after, scope=f"workspaces of {tenant.name}"))


def capacity(
    tenant: strawberry.Parent[Tenant], info: Info, filter: CapacityFilter | None = None
) -> Maybe[list[GpuBalance]]:
    """The account of its machines and workspaces: only GPU types that it holds."""
    fleet = info.context.fleet
    found = fleet.nodes_of_tenant(tenant.name)
    if isinstance(found, Unknown):
        return found
    wanted = filter or CapacityFilter()
    own = [tenant.name] if chosen(wanted.tenants, tenant.name) else []
    return account(tenant.id, found.values(), None, fleet, replace(wanted, tenants=own))


def cost_per_hour(tenant: strawberry.Parent[Tenant], info: Info) -> Maybe[Money]:
    """What its machines cost an hour."""
    fleet = info.context.fleet
    found = fleet.nodes_of_tenant(tenant.name)
    if isinstance(found, Unknown):
        return found
    held = [
        node for node in found.values() if System.KUBERNETES in node.known_to or System.SLURM in node.known_to
    ]
    return total_cost(node_cost(node, fleet) for node in held)
