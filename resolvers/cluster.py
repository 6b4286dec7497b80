"""What a cluster holds."""

from collections.abc import Iterator

import strawberry

from gateway.fleet.capacity import GpuBalance
from gateway.fleet.cluster import Cluster
from gateway.fleet.gpu import GpuType, NodeGpus
from gateway.fleet.mig import MigSlice
from gateway.fleet.node import Node
from gateway.fleet.pod import Pod
from gateway.fleet.queue import Queue
from gateway.fleet.slurm import SlurmJob
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.capacity import cluster_lines
from resolvers.context import Info
from resolvers.inputs import (
    CapacityFilter,
    MigSliceFilter,
    NodeFilter,
    NodeOrder,
    PodFilter,
    SlurmJobFilter,
    chosen,
)
from resolvers.node import holder
from resolvers.node_list import node_page
from resolvers.paging import Asked, Page, page
from resolvers.pod import pod_page


def nodes(
    cluster: strawberry.Parent[Cluster],
    info: Info,
    first: int = 50,
    after: str | None = None,
    filter: NodeFilter | None = None,
    order_by: NodeOrder | None = None,
) -> Page[Node] | Unknown:
    """Its machines with GPUs, by name; a record whose machine no system knows is among them."""
    fleet = info.context.fleet
    found = fleet.nodes(cluster.name)
    if isinstance(found, Unknown):
        return found
    missing = first_unknown(fleet.platform) or fleet.slurm_silence(cluster.name)
    asked = Asked(first=first, after=after, scope=("nodes", cluster.name))
    return node_page(found.values(), fleet, asked, filter, order_by, missing)


def gpu_types(cluster: strawberry.Parent[Cluster], info: Info) -> Maybe[list[GpuType]]:
    """The GPU types that its machines have."""
    found = info.context.fleet.nodes(cluster.name)
    if isinstance(found, Unknown):
        return found
    kinds = (node.gpus.type for node in found.values() if isinstance(node.gpus, NodeGpus))
    named = {kind.name: kind for kind in kinds if isinstance(kind, GpuType)}
    return [named[name] for name in sorted(named)]


def capacity(
    cluster: strawberry.Parent[Cluster], info: Info, filter: CapacityFilter | None = None
) -> Maybe[list[GpuBalance]]:
    """The account, a line for each GPU type and target."""
    return cluster_lines(cluster, info.context.fleet, filter)


def mig_slices(
    cluster: strawberry.Parent[Cluster],
    info: Info,
    first: int = 50,
    after: str | None = None,
    filter: MigSliceFilter | None = None,
) -> Page[MigSlice] | Unknown:
    """The slices of its machines, a group for each machine and profile."""
    fleet = info.context.fleet
    found = fleet.nodes(cluster.name)
    if isinstance(found, Unknown):
        return found
    wanted = filter or MigSliceFilter()
    silent = first_unknown(fleet.platform) if wanted.tenants is not None else None
    if silent:
        return silent
    rows = (
        ((group.node, group.resource_name, group.profile.name), group)
        for node in found.values()
        if chosen(wanted.nodes, node.name) and chosen(wanted.tenants, holder(node))
        for group in _groups(node)
        if chosen(wanted.profiles, group.profile.name)
    )
    return page(rows, Asked(first=first, after=after, scope=("slices", cluster.name, wanted)))


def queues(cluster: strawberry.Parent[Cluster], info: Info) -> Maybe[list[Queue]]:
    """The scheduler's queues, by name; null without an error where there is no Volcano."""
    found = info.context.fleet.queues(cluster.name)
    if found is None or isinstance(found, Unknown):
        return found
    return [found[key] for key in sorted(found)]


def pods(
    cluster: strawberry.Parent[Cluster],
    info: Info,
    first: int = 50,
    after: str | None = None,
    filter: PodFilter | None = None,
) -> Page[Pod] | Unknown:
    """Its pods, those that ask for GPUs unless the filter says otherwise."""
    fleet = info.context.fleet
    found = fleet.pods(cluster.name)
    rows = found if isinstance(found, Unknown) else found.values()
    asked = Asked(first=first, after=after, scope=("pods", cluster.id))
    return pod_page(rows, cluster.name, fleet, asked, filter)


def slurm_jobs(
    cluster: strawberry.Parent[Cluster],
    info: Info,
    first: int = 50,
    after: str | None = None,
    filter: SlurmJobFilter | None = None,
) -> Maybe[Page[SlurmJob]]:
    """The jobs of its Slurms; null without an error where there is no Slurm."""
    found = info.context.fleet.slurm_jobs(cluster.name)
    if found is None or isinstance(found, Unknown):
        return found
    wanted = filter or SlurmJobFilter()
    rows = (
        ((job.slurm_cluster, job.job_id.zfill(_DIGITS)), job)
        for job in found
        if chosen(wanted.states, job.state)
        and wanted.user in {None, job.user}
        and wanted.partition in {None, job.partition}
    )
    return page(rows, Asked(first=first, after=after, scope=("jobs", cluster.name, wanted)))


_DIGITS = 12
"""Job ids are ordered as numbers."""


def _groups(node: Node) -> Iterator[MigSlice]:
    yield from () if node.mig_slices is None or isinstance(node.mig_slices, Unknown) else node.mig_slices
