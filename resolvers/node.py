"""What a machine crosses to: its tenant, its pods, its work; and the lists that machines are in."""

from collections.abc import Collection
from dataclasses import replace

import strawberry

from gateway.fleet.cluster import Cluster
from gateway.fleet.cost import cost_of, price_at
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import GpuType, Money, NodeGpus
from gateway.fleet.node import KubernetesNode, Label, Node
from gateway.fleet.platform import NodeRecord, Tenant
from gateway.fleet.pod import Pod
from gateway.fleet.slurm import SlurmJob
from gateway.fleet.sums import first_unknown
from gateway.fleet.terms import line_of, node_cards
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.context import Info
from resolvers.inputs import Direction, NodeFilter, NodeOrder, NodeOrderField, PodFilter, chosen
from resolvers.paging import Asked, Page, page
from resolvers.pod import pod_page
from resolvers.query import cluster_of

_BY_NAME = NodeOrder(by=NodeOrderField.NAME)


def cluster(node: strawberry.Parent[Node], info: Info) -> Cluster:
    """The cluster that the machine belongs to."""
    return cluster_of(info.context.fleet, node.cluster)


def tenant(node: strawberry.Parent[Node], info: Info) -> Maybe[Tenant]:
    """Who holds the machine."""
    record = node.record
    if not isinstance(record, NodeRecord):
        return record
    return info.context.fleet.listings.platform.tenants.get(record.tenant_name or "")


def labels(node: strawberry.Parent[Node], info: Info, prefix: str | None = None) -> Maybe[list[Label]]:
    """Its labels, sorted by key; `prefix` keeps those that begin with it."""
    part = node.kubernetes
    if not isinstance(part, KubernetesNode):
        return part
    kept = (item for item in sorted(part.labels.items()) if item[0].startswith(prefix or ""))
    return [Label(key=key, value=value) for key, value in kept]


def pods(
    node: strawberry.Parent[Node],
    info: Info,
    first: int = 50,
    after: str | None = None,
    filter: PodFilter | None = None,
) -> Page[Pod] | Unknown:
    """The pods that are bound to it, those that ask for GPUs unless the filter says otherwise."""
    asked = Asked(first=first, after=after, scope=("pods", node.id))
    return pod_page(node.pods, node.cluster, info.context.fleet, asked, filter)


def workloads(node: strawberry.Parent[Node], info: Info) -> Maybe[list[Pod | SlurmJob]]:
    """All work that holds the machine or its GPUs, whichever scheduler put it there."""
    pods, jobs = node.pods, node.jobs
    if isinstance(pods, Unknown) or isinstance(jobs, Unknown):
        return first_unknown(pods, jobs)
    return [*(pod for pod in pods if pod.holds_gpus), *(job for job in jobs if job.holds_nodes)]


def cost_per_hour(node: strawberry.Parent[Node], info: Info) -> Maybe[Money]:
    """What its cards cost an hour."""
    return node_cost(node, info.context.fleet)


def node_cost(node: Node, fleet: Fleet) -> Maybe[Money]:
    """Its cards by the price of their type that holds now."""
    kind = _model(node)
    if not isinstance(kind, GpuType):
        return kind
    return cost_of(node_cards(node), price_at(fleet.prices(kind.name), fleet.now))


def holder(node: Node) -> str | None:
    """The tenant that holds a machine, by name."""
    return node.record.tenant_name if isinstance(node.record, NodeRecord) else None


def machines_of(tenant: Tenant, fleet: Fleet) -> list[Node]:
    """The machines that a tenant holds; who has a tenant in hand has the platform's records too."""
    return list(fleet.listings.nodes.group("tenant", tenant.name).values())


def node_page(
    nodes: Collection[Node],
    fleet: Fleet,
    asked: Asked,
    filter: NodeFilter | None,
    missing: Unknown | None = None,
) -> Page[Node] | Unknown:
    """One page of machines; a filter on a silent system is that system's silence."""
    wanted = filter or NodeFilter()
    silent = _filter_silence(wanted, nodes, fleet)
    if silent:
        return silent
    rows = (((node.cluster, node.name), node) for node in nodes if _is_wanted(node, wanted))
    return page(rows, replace(asked, scope=(*asked.scope, wanted)), missing)


def ordered(asked: Asked, order: NodeOrder | None) -> Asked:
    """The same page of the list in this order."""
    wanted = order or _BY_NAME
    descending = wanted.direction is Direction.DESC
    return replace(asked, scope=(*asked.scope, wanted), descending=descending)


def _filter_silence(wanted: NodeFilter, nodes: Collection[Node], fleet: Fleet) -> Unknown | None:
    by_record = wanted.targets is not None or wanted.tenants is not None or wanted.unassigned
    records = first_unknown(fleet.platform) if by_record else None
    models = (_model(node) for node in nodes) if wanted.gpu_types is not None else ()
    return records or next((one for one in models if isinstance(one, Unknown) and one.is_silence), None)


def _model(node: Node) -> Maybe[GpuType]:
    return node.gpus.type if isinstance(node.gpus, NodeGpus) else node.gpus


def _is_wanted(node: Node, wanted: NodeFilter) -> bool:
    kind, target = line_of(node)
    return (
        (node.is_gpu_node or wanted.include_non_gpu)
        and chosen(wanted.names, node.name)
        and chosen(wanted.targets, target)
        and chosen(wanted.tenants, holder(node))
        and not (wanted.unassigned and holder(node))
        and chosen(wanted.gpu_types, kind)
    )
