"""What a pod crosses to, and the lists that pods are in."""

from collections.abc import Iterable, Iterator
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
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.context import Info
from resolvers.inputs import PodFilter, WorkspaceRef, chosen
from resolvers.paging import Asked, Page, page


def cluster(pod: strawberry.Parent[Pod], info: Info) -> Cluster:
    """The cluster that it runs in."""
    return info.context.fleet.cluster(pod.cluster) or Cluster(name=pod.cluster, kubernetes_version=None)


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
    return _queue_of(pod, info.context.fleet)


def gpus(pod: strawberry.Parent[Pod], info: Info) -> list[GpuClaim]:
    """What it asks of GPU resources; the unit of nvidia.com/gpu is what its machine makes of it."""
    held = _node_of(pod, info.context.fleet)
    devices = held.gpus if isinstance(held, Node) else None
    resources = devices.resources if isinstance(devices, NodeGpus) else None
    if resources is None or isinstance(resources, Unknown):
        return list(pod.gpus)
    units = {one.name: one.unit for one in resources}
    return [claim if claim.unit else replace(claim, unit=units.get(claim.resource)) for claim in pod.gpus]


def pod_page(
    pods: Iterable[Pod] | Unknown, fleet: Fleet, asked: Asked, filter: PodFilter | None
) -> Page[Pod] | Unknown:
    """One page of pods; a filter on a silent system is that system's silence."""
    if isinstance(pods, Unknown):
        return pods
    wanted = filter or PodFilter()
    pods = list(_asked_for(pods, wanted))
    if wanted.workspace is not None:
        silent = fleet.silence(System.PLATFORM, "", "records")
        if silent:
            return silent
        pods = [pod for pod in pods if _is_of(pod, wanted.workspace, fleet)]
    if wanted.queue is not None:
        queues = [(pod, _queue_of(pod, fleet)) for pod in pods]
        silent = next((found for _, found in queues if isinstance(found, Unknown)), None)
        if silent:
            return silent
        pods = [pod for pod, found in queues if isinstance(found, Queue) and found.name == wanted.queue]
    rows = (((pod.cluster, pod.namespace, pod.name), pod) for pod in pods)
    return page(rows, replace(asked, scope=f"{asked.scope} {filter}"))


def _asked_for(pods: Iterable[Pod], wanted: PodFilter) -> Iterator[Pod]:
    for pod in pods:
        if (
            (pod.gpus or wanted.include_non_gpu)
            and chosen(wanted.namespaces, pod.namespace)
            and chosen(wanted.names, pod.name)
            and (wanted.states is None or pod.state in wanted.states)
        ):
            yield pod


def _is_of(pod: Pod, wanted: WorkspaceRef, fleet: Fleet) -> bool:
    found = fleet.workspace_of(pod)
    return isinstance(found, Workspace) and (found.tenant_name, found.name) == (wanted.tenant, wanted.name)


def _node_of(pod: Pod, fleet: Fleet) -> Maybe[Node]:
    if pod.node_name is None:
        return None
    return fleet.silence(System.KUBERNETES, pod.cluster, "nodes") or fleet.node(pod.cluster, pod.node_name)


def _queue_of(pod: Pod, fleet: Fleet) -> Maybe[Queue]:
    group = fleet.pod_group(pod)
    return fleet.queue(pod.cluster, group.queue_name) if isinstance(group, PodGroup) else group
