"""The account of a cluster, and of a tenant."""

from collections.abc import Iterable

from gateway.fleet.account import Tariff, balances
from gateway.fleet.capacity import GpuBalance
from gateway.fleet.cluster import Cluster
from gateway.fleet.fleet import Fleet
from gateway.fleet.line import Holdings
from gateway.fleet.node import Node
from gateway.fleet.platform import Tenant, Workspace
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.inputs import CapacityFilter, chosen
from resolvers.node import holder, machines_of

Lines = list[GpuBalance]


def cluster_lines(cluster: Cluster, fleet: Fleet, filter: CapacityFilter | None) -> Maybe[Lines]:
    """The account of a cluster's machines, and of what workspaces were given there."""
    nodes, platform = fleet.nodes(cluster.name), fleet.platform
    if isinstance(nodes, Unknown) or isinstance(platform, Unknown):
        return first_unknown(nodes, platform)
    workspaces = (one for one in platform.workspaces.values() if one.cluster_name == cluster.name)
    silence = fleet.slurm_silence(cluster.name)
    return _lines(_chosen(cluster.id, nodes.values(), workspaces, filter, silence), fleet, filter)


def tenant_lines(tenant: Tenant, fleet: Fleet, filter: CapacityFilter | None) -> Maybe[Lines]:
    """The account of a tenant's machines and workspaces; null where a silent cluster has some of them."""
    nodes = machines_of(tenant, fleet)
    silent = first_unknown(*(node.kubernetes for node in nodes))
    if silent:
        return silent
    every = fleet.listings.platform.workspaces.values()
    workspaces = (one for one in every if one.tenant_name == tenant.name)
    return _lines(_chosen(tenant.id, nodes, workspaces, filter, None), fleet, filter)


def _chosen(
    owner: str,
    nodes: Iterable[Node],
    workspaces: Iterable[Workspace],
    filter: CapacityFilter | None,
    slurm_silence: Unknown | None,
) -> Holdings:
    """What of an owner's machines and workspaces the filter lets through."""
    wanted = filter or CapacityFilter()
    return Holdings(
        owner=owner,
        nodes=tuple(node for node in nodes if _is_of(holder(node), wanted)),
        workspaces=tuple(one for one in workspaces if _is_of(one.tenant_name, wanted)),
        slurm_silence=slurm_silence,
    )


def _lines(holdings: Holdings, fleet: Fleet, filter: CapacityFilter | None) -> Lines:
    wanted = filter or CapacityFilter()
    prices = fleet.listings.platform.prices
    return [
        line
        for line in balances(holdings, Tariff(types=fleet.gpu_types, prices=prices, now=fleet.now))
        if chosen(wanted.gpu_types, line.gpu_type.name if line.gpu_type else None)
        and chosen(wanted.targets, line.target)
    ]


def _is_of(tenant: str | None, wanted: CapacityFilter) -> bool:
    return chosen(wanted.tenants, tenant) and not (wanted.unassigned and tenant)
