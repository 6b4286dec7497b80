"""What a pod crosses to, and the lists that pods are in."""

from collections.abc import Iterable
from dataclasses import replace

import strawberry

from gateway.errors import System
from gateway.fleet.cluster import Cluster
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import GpuClaim, NodeGpus
from gateway.fleet.node import Node
from gateway.fleet.platform import Workspace
from gateway.fleet.pod import Pod
from gateway.fleet.queue import PodGroup, Queue
from gateway.fleet.sums import first_unknown
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.context import Info
from resolvers.inputs import PodFilter, WorkspaceRef, chosen
from resolvers.paging import Asked, Page, page
from resolvers.query import cluster_of


def cluster(pod: strawberry.Parent[Pod], info: Info) -> Cluster:
    """The cluster that it runs in."""
    return cluster_of(info.context.fleet, pod.cluster)


def node(pod: strawberry.Parent[Pod], info: Info) -> Maybe[Node]:
    """The machine that it is bound to."""
    return _node_of(pod, info.context.fleet)


def workspace(pod: strawberry.Parent[Pod], info: Info) -> Maybe[Workspace]:
    """The workspace that its namespace belongs to."""
    return info.context.fleet.workspace_of(pod)


def pod_group(pod: strawberry.Parent[Pod], info: Info) -> Maybe[PodGroup]:
    """The group of pods that it is placed with."""
    return info.context.fleet.pod_group(pod)


def queue(pod: strawberry.Parent[Pod], info: Info) -> Maybe[Queue]:
    """The queue of its group."""
    fleet = info.context.fleet
    group = fleet.pod_group(pod)
    return fleet.queue(pod.cluster, group.queue_name) if isinstance(group, PodGroup) else group


def gpus(pod: strawberry.Parent[Pod], info: Info) -> list[GpuClaim]:
    """What it asks of GPU resources; the unit of nvidia.com/gpu is what its machine makes of it."""
    fleet = info.context.fleet
    return [claim if claim.unit else replace(claim, unit=_unit(claim, pod, fleet)) for claim in pod.gpus]


def pod_page(
    pods: Iterable[Pod] | Unknown, cluster: str, fleet: Fleet, asked: Asked, filter: PodFilter | None
) -> Page[Pod] | Unknown:
    """One page of a cluster's pods; a filter on a silent system is that system's silence."""
    if isinstance(pods, Unknown):
        return pods
    wanted = filter or PodFilter()
    silent = _filter_silence(wanted, cluster, fleet)
    if silent:
        return silent
    rows = (((pod.namespace, pod.name), pod) for pod in pods if _is_wanted(pod, wanted, fleet))
    return page(rows, replace(asked, scope=(*asked.scope, wanted)))


def _filter_silence(wanted: PodFilter, cluster: str, fleet: Fleet) -> Unknown | None:
    records = first_unknown(fleet.platform) if wanted.workspace is not None else None
    groups = fleet.silence(System.QUEUES, cluster, "podgroups") if wanted.queue is not None else None
    return records or groups


def _is_wanted(pod: Pod, wanted: PodFilter, fleet: Fleet) -> bool:
    return (
        (wanted.include_non_gpu or bool(pod.gpus))
        and chosen(wanted.namespaces, pod.namespace)
        and chosen(wanted.names, pod.name)
        and chosen(wanted.states, pod.state)
        and (wanted.workspace is None or _is_of(pod, wanted.workspace, fleet))
        and (wanted.queue is None or _is_queued(pod, wanted.queue, fleet))
    )


def _is_of(pod: Pod, wanted: WorkspaceRef, fleet: Fleet) -> bool:
    found = fleet.workspace_of(pod)
    return isinstance(found, Workspace) and (found.tenant_name, found.name) == (wanted.tenant, wanted.name)


def _is_queued(pod: Pod, queue: str, fleet: Fleet) -> bool:
    group = fleet.pod_group(pod)
    return isinstance(group, PodGroup) and group.queue_name == queue


def _node_of(pod: Pod, fleet: Fleet) -> Maybe[Node]:
    if pod.node_name is None:
        return None
    return fleet.silence(System.KUBERNETES, pod.cluster, "nodes") or fleet.node(pod.cluster, pod.node_name)


def _unit(claim: GpuClaim, pod: Pod, fleet: Fleet) -> Maybe[GpuUnit]:
    held = _node_of(pod, fleet)
    if not isinstance(held, Node):
        return held
    resources = held.gpus.resources if isinstance(held.gpus, NodeGpus) else held.gpus
    if resources is None or isinstance(resources, Unknown):
        return resources
    return next((one.unit for one in resources if one.name == claim.resource), None)
