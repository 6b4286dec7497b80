"""What a workspace crosses to: tenant, cluster, queue, pods, and what it was given."""

import strawberry

from gateway.fleet.capacity import GpuAllocation
from gateway.fleet.cluster import Cluster
from gateway.fleet.cost import cost_of, price_at, total_cost
from gateway.fleet.gpu import Money
from gateway.fleet.namespace_quota import NamespaceQuota, namespace_quotas
from gateway.fleet.platform import Tenant, Workspace
from gateway.fleet.pod import Pod
from gateway.fleet.queue import Queue
from gateway.fleet.unknown import Maybe, Unknown
from gateway.fleet.usage import allocations as allocations_of
from resolvers.context import Info
from resolvers.inputs import PodFilter
from resolvers.paging import Asked, Page
from resolvers.pod import pod_page
from resolvers.query import cluster_of


def tenant(workspace: strawberry.Parent[Workspace], info: Info) -> Tenant:
    """The tenant that it is a share of."""
    return info.context.fleet.listings.platform.tenants[workspace.tenant_name]


def cluster(workspace: strawberry.Parent[Workspace], info: Info) -> Cluster:
    """The cluster that its namespaces and its queue are in."""
    return cluster_of(info.context.fleet, workspace.cluster_name)


def allocations(workspace: strawberry.Parent[Workspace], info: Info) -> Maybe[list[GpuAllocation]]:
    """What the platform gave to it, by GPU type."""
    return list(allocations_of(workspace, info.context.fleet))


def queue(workspace: strawberry.Parent[Workspace], info: Info) -> Maybe[Queue]:
    """Its queue; null where the scheduler has no such queue."""
    if workspace.queue_name is None:
        return None
    return info.context.fleet.queue(workspace.cluster_name, workspace.queue_name)


def pods(
    workspace: strawberry.Parent[Workspace],
    info: Info,
    first: int = 50,
    after: str | None = None,
    filter: PodFilter | None = None,
) -> Page[Pod] | Unknown:
    """The pods of its namespaces, those that ask for GPUs unless the filter says otherwise."""
    fleet = info.context.fleet
    found = fleet.pods_of_namespaces(workspace.cluster_name, workspace.namespaces)
    asked = Asked(first=first, after=after, scope=("pods", workspace.id))
    return pod_page(found, workspace.cluster_name, fleet, asked, filter)


def quotas(workspace: strawberry.Parent[Workspace], info: Info) -> list[NamespaceQuota] | Unknown:
    """What the ResourceQuotas of its namespaces say of GPUs, key by key."""
    fleet = info.context.fleet
    nodes = fleet.nodes(workspace.cluster_name)
    found = fleet.quotas(workspace.cluster_name)
    if isinstance(nodes, Unknown):
        return nodes
    if isinstance(found, Unknown):
        return found
    own = (quota for quota in found.values() if quota.namespace in workspace.namespaces)
    return list(namespace_quotas(own, nodes.values()))


def cost_per_hour(workspace: strawberry.Parent[Workspace], info: Info) -> Maybe[Money]:
    """What the cards that it was given cost an hour."""
    fleet = info.context.fleet
    return total_cost(
        cost_of(given.cards, price_at(fleet.prices(given.gpu_type), fleet.now))
        for given in workspace.allocations
        if given.cards
    )
