"""The rows that the systems told of last, and how they are grouped."""

from collections.abc import Iterable
from dataclasses import dataclass

from immutables import Map

from gateway.fleet.catalogue import CATALOGUE
from gateway.fleet.event import Event
from gateway.fleet.kueue import KueueWorkload
from gateway.fleet.limit_range import LimitRange
from gateway.fleet.namespace import Namespace
from gateway.fleet.node import Node
from gateway.fleet.operand import OperandSet
from gateway.fleet.platform import NodeRecord, PlatformRecords
from gateway.fleet.pod import Pod
from gateway.fleet.queue import PodGroup, Queue
from gateway.fleet.quota import ResourceQuota
from gateway.fleet.runtime_class import RuntimeClass
from gateway.fleet.scheduler import Scheduler
from gateway.fleet.slurm import SlurmJob
from gateway.fleet.table import Table

NodeKey = tuple[str, str]
"""Cluster, name."""
ObjectKey = tuple[str, str, str]
"""Cluster, namespace, name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listings:
    """The rows that the systems told of last, silent ones included."""

    nodes: Table[NodeKey, Node]
    pods: Table[ObjectKey, Pod]
    quotas: Table[ObjectKey, ResourceQuota]
    limit_ranges: Table[ObjectKey, LimitRange]
    queues: Table[NodeKey, Queue]
    pod_groups: Table[ObjectKey, PodGroup]
    events: Table[ObjectKey, Event]
    workloads: Table[ObjectKey, KueueWorkload]
    namespaces: Table[NodeKey, Namespace]
    operands: Table[ObjectKey, OperandSet]
    runtime_classes: Table[NodeKey, RuntimeClass]
    schedulers: Map[str, Scheduler]
    """The scheduler of each cluster's queues."""
    slurm_jobs: Table[NodeKey, SlurmJob]
    versions: Map[str, str]
    """What each cluster's Kubernetes calls itself."""
    platform: PlatformRecords


def no_listings() -> Listings:
    """Nothing was told yet."""
    return Listings(
        nodes=Table(cluster=lambda node: (node.cluster,), tenant=_tenant_of),
        pods=Table(
            cluster=lambda pod: (pod.cluster,),
            node=lambda pod: ((pod.cluster, pod.node_name),) if pod.node_name else (),
            namespace=lambda pod: ((pod.cluster, pod.namespace),),
            turned_down=lambda pod: (pod.cluster,) if pod.turned_down else (),
            pod_group=lambda pod: (
                ((pod.cluster, pod.namespace, pod.group_name),) if pod.group_name and not pod.ended else ()
            ),
        ),
        quotas=Table(cluster=lambda quota: (quota.cluster,)),
        limit_ranges=Table(cluster=lambda limits: (limits.cluster,)),
        queues=Table(
            cluster=lambda queue: (queue.cluster,),
            parent=lambda queue: ((queue.cluster, queue.parent_name),) if queue.parent_name else (),
        ),
        pod_groups=Table(
            cluster=lambda group: (group.cluster,), queue=lambda group: ((group.cluster, group.queue_name),)
        ),
        events=Table(cluster=lambda event: (event.cluster,)),
        workloads=Table(cluster=lambda workload: (workload.cluster,)),
        namespaces=Table(cluster=lambda namespace: (namespace.cluster,)),
        operands=Table(cluster=lambda operand: (operand.cluster,)),
        runtime_classes=Table(cluster=lambda runtime_class: (runtime_class.cluster,)),
        schedulers=Map(),
        slurm_jobs=Table(
            slurm=lambda job: (job.slurm_cluster,),
            node=lambda job: (
                [(job.slurm_cluster, name) for name in job.node_names] if job.holds_nodes else ()
            ),
        ),
        versions=Map(),
        platform=NO_RECORDS,
    )


NO_RECORDS = PlatformRecords(nodes={}, tenants={}, workspaces={}, gpu_types=CATALOGUE, prices={})


def _tenant_of(node: Node) -> Iterable[str]:
    record = node.record
    return (record.tenant_name,) if isinstance(record, NodeRecord) and record.tenant_name else ()
