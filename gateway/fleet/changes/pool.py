"""The cards of a tenant that its workspaces of one cluster share: what the database holds every giver to."""

from dataclasses import replace

from gateway.fleet.account import Tariff, balances
from gateway.fleet.capacity import GpuBalance
from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.fleet import Fleet
from gateway.fleet.line import Holdings
from gateway.fleet.platform import Allocation, Target, Workspace


def pool(workspace: Workspace, gpu_type: str, fleet: Fleet) -> GpuBalance:
    """The line of its tenant's account for one type, over the cluster that the workspace is in."""
    tenant, cluster = workspace.tenant_name, workspace.cluster_name
    platform = fleet.listings.platform
    shared = (one for one in platform.workspaces.values() if one.tenant_name == tenant)
    holdings = Holdings(
        owner=entity_id(EntityKind.TENANT, tenant),
        nodes=tuple(
            node for node in fleet.listings.nodes.group("tenant", tenant).values() if node.cluster == cluster
        ),
        workspaces=tuple(_with_line(one, gpu_type) for one in shared if one.cluster_name == cluster),
        slurm_silence=None,
    )
    lines = balances(holdings, Tariff(types=platform.gpu_types, prices=platform.prices, now=fleet.now))
    return next(line for line in lines if _is_of(line, gpu_type))


def _with_line(workspace: Workspace, gpu_type: str) -> Workspace:
    """The same workspace with an allocation of this type, of nothing if need be: each has a line."""
    if any(one.gpu_type == gpu_type for one in workspace.allocations):
        return workspace
    nothing = Allocation(gpu_type=gpu_type, cards=0, generation=0)
    return replace(workspace, allocations=(*workspace.allocations, nothing))


def _is_of(line: GpuBalance, gpu_type: str) -> bool:
    kind = line.gpu_type
    return kind is not None and kind.name == gpu_type and line.target is Target.KUBERNETES
