"""What a machine crosses to: its tenant, its pods, its work, its cost."""

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
from gateway.fleet.terms import node_cards
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.context import Info
from resolvers.inputs import PodFilter
from resolvers.paging import Asked, Page
from resolvers.pod import pod_page
from resolvers.query import cluster_of


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


def _model(node: Node) -> Maybe[GpuType]:
    return node.gpus.type if isinstance(node.gpus, NodeGpus) else node.gpus
