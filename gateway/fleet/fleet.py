"""One pinned set of what every system says, with its indexes; nothing in it ever changes."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from immutables import Map

from gateway.errors import System
from gateway.fleet.alert import NO_ALERTS, Alerts
from gateway.fleet.cluster import Cluster
from gateway.fleet.event import EVENTS, Event
from gateway.fleet.gpu import GpuType, Price
from gateway.fleet.kueue import WORKLOADS, KueueWorkload
from gateway.fleet.limit_range import LIMIT_RANGES, LimitRange
from gateway.fleet.listings import Listings, NodeKey, ObjectKey
from gateway.fleet.namespace import NAMESPACES, Namespace
from gateway.fleet.node import Node
from gateway.fleet.operand import OPERANDS, OperandSet
from gateway.fleet.platform import PlatformRecords, Workspace
from gateway.fleet.pod import Pod
from gateway.fleet.queue import PodGroup, Queue
from gateway.fleet.quota import QUOTAS, ResourceQuota
from gateway.fleet.runtime_class import RUNTIME_CLASSES, RuntimeClass
from gateway.fleet.scheduler import Scheduler
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.source import SourceKey, SourceStatus
from gateway.fleet.table import Table
from gateway.fleet.unknown import Maybe, Unknown

STALE_AFTER = timedelta(minutes=5)
K = TypeVar("K", bound=Hashable)
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """What a request sees: one moment, from its first field to its last."""

    now: datetime
    clusters: tuple[str, ...]
    """Configured cluster names, in their configured order."""
    slurms: Mapping[str, str]
    """Configured Slurms, and the cluster that each belongs to."""
    sources: tuple[SourceStatus, ...]
    silences: Mapping[SourceKey, Unknown]
    """Listings that may not be shown now, and why."""
    absences: frozenset[SourceKey]
    """Listings that their system does not have."""
    listings: Listings
    workspace_of_namespace: Mapping[NodeKey, Workspace]
    """By cluster and namespace."""
    alerts: Alerts = NO_ALERTS
    """What the gateway found out about all of this, a few seconds ago at most."""
    stale_after: timedelta = STALE_AFTER
    """How long what somebody wrote down about a node's health is still shown."""

    def silence(self, system: System, place: str = "", kind: str = "") -> Unknown | None:
        """Why this listing may not be shown, or None."""
        return self.silences.get(SourceKey(system, place, kind))

    def has(self, system: System, place: str, kind: str) -> bool:
        """Whether there is such a listing at all."""
        return SourceKey(system, place, kind) not in self.absences

    @property
    def platform(self) -> PlatformRecords | Unknown:
        """The platform's records."""
        return self.silence(System.PLATFORM, "", "records") or self.listings.platform

    @property
    def gpu_types(self) -> Mapping[str, GpuType]:
        """Every GPU type that the platform or the catalogue knows, by name."""
        return self.listings.platform.gpu_types

    def prices(self, gpu_type: str) -> tuple[Price, ...] | Unknown:
        """The prices of a type, oldest first."""
        platform = self.platform
        return platform if isinstance(platform, Unknown) else platform.prices.get(gpu_type, ())

    def cluster(self, name: str) -> Cluster | None:
        """One configured cluster."""
        if name not in self.clusters:
            return None
        silent = self.silence(System.KUBERNETES, name, "version")
        return Cluster(name=name, kubernetes_version=silent or self.listings.versions.get(name))

    def node(self, cluster: str, name: str) -> Node | None:
        """One machine, whichever system knows it."""
        return self.listings.nodes.get((cluster, name))

    def nodes(self, cluster: str) -> Mapping[NodeKey, Node] | Unknown:
        """The machines of a cluster."""
        silent = self.silence(System.KUBERNETES, cluster, "nodes")
        return silent or self.listings.nodes.group("cluster", cluster)

    def pods(self, cluster: str) -> Mapping[ObjectKey, Pod] | Unknown:
        """The pods of a cluster."""
        silent = self.silence(System.KUBERNETES, cluster, "pods")
        return silent or self.listings.pods.group("cluster", cluster)

    def pods_of_namespaces(self, cluster: str, namespaces: Iterable[str]) -> list[Pod] | Unknown:
        """The pods of some namespaces of a cluster."""
        silent = self.silence(System.KUBERNETES, cluster, "pods")
        if silent:
            return silent
        group = self.listings.pods.group
        return [pod for space in namespaces for pod in group("namespace", (cluster, space)).values()]

    def turned_down(self, cluster: str) -> tuple[Pod, ...]:
        """The pods that a scheduler or the kubelet turned down; none while they are silent."""
        if self.silence(System.KUBERNETES, cluster, "pods"):
            return ()
        return tuple(self.listings.pods.group("turned_down", cluster).values())

    def quotas(self, cluster: str) -> Mapping[ObjectKey, ResourceQuota] | Unknown:
        """The quotas of a cluster's namespaces."""
        silent = self.silence(System.KUBERNETES, cluster, QUOTAS)
        return silent or self.listings.quotas.group("cluster", cluster)

    def limit_ranges(self, cluster: str) -> Maybe[Mapping[ObjectKey, LimitRange]]:
        """The LimitRanges of a cluster; None where they cannot be seen."""
        return self._listed(cluster, LIMIT_RANGES, self.listings.limit_ranges)

    def namespaces(self, cluster: str) -> Maybe[Mapping[NodeKey, Namespace]]:
        """The namespaces of a cluster; None where they cannot be seen."""
        return self._listed(cluster, NAMESPACES, self.listings.namespaces)

    def operands(self, cluster: str) -> Maybe[Mapping[ObjectKey, OperandSet]]:
        """What makes GPUs usable in a cluster; None where it cannot be seen."""
        return self._listed(cluster, OPERANDS, self.listings.operands)

    def runtime_classes(self, cluster: str) -> Maybe[Mapping[NodeKey, RuntimeClass]]:
        """The runtime classes of a cluster; None where they cannot be seen."""
        return self._listed(cluster, RUNTIME_CLASSES, self.listings.runtime_classes)

    def queues(self, cluster: str) -> Maybe[Mapping[NodeKey, Queue]]:
        """The queues of a cluster; None where it has no Volcano."""
        if not self.has(System.QUEUES, cluster, "queues"):
            return None
        silent = self.silence(System.QUEUES, cluster, "queues")
        return silent or self.listings.queues.group("cluster", cluster)

    def queue(self, cluster: str, name: str) -> Maybe[Queue]:
        """One queue; None where there is no such queue."""
        queues = self.queues(cluster)
        return queues.get((cluster, name)) if isinstance(queues, Map) else _passed(queues)

    def pod_group(self, pod: Pod) -> Maybe[PodGroup]:
        """The group that a pod names."""
        if pod.group_name is None or not self.has(System.QUEUES, pod.cluster, "podgroups"):
            return None
        silent = self.silence(System.QUEUES, pod.cluster, "podgroups")
        return silent or self.listings.pod_groups.get((pod.cluster, pod.namespace, pod.group_name))

    def pod_groups(self, cluster: str) -> tuple[PodGroup, ...]:
        """The pod groups of a cluster; none while they are silent."""
        if self.silence(System.QUEUES, cluster, "podgroups"):
            return ()
        return tuple(self.listings.pod_groups.group("cluster", cluster).values())

    def events(self, cluster: str) -> tuple[Event, ...]:
        """The events of a cluster that say why work waits; none while they are silent, or not read."""
        if self.silence(System.KUBERNETES, cluster, EVENTS):
            return ()
        return tuple(self.listings.events.group("cluster", cluster).values())

    def workloads(self, cluster: str) -> tuple[KueueWorkload, ...]:
        """Kueue's workloads in a cluster; none while they are silent, or where it has no Kueue."""
        if self.silence(System.KUBERNETES, cluster, WORKLOADS):
            return ()
        return tuple(self.listings.workloads.group("cluster", cluster).values())

    def groups_of_queue(self, queue: Queue) -> tuple[PodGroup, ...]:
        """The pod groups of a queue, as they were told last."""
        return tuple(self.listings.pod_groups.group("queue", (queue.cluster, queue.name)).values())

    def pods_of_group(self, group: PodGroup) -> tuple[Pod, ...]:
        """The pods of a group that have not ended, as they were told last."""
        key = (group.cluster, group.namespace, group.name)
        return tuple(self.listings.pods.group("pod_group", key).values())

    def scheduler(self, cluster: str) -> Maybe[Scheduler]:
        """The scheduler of a cluster's queues; None where none is to be seen."""
        silent = self.silence(System.QUEUES, cluster, "scheduler")
        return silent or self.listings.schedulers.get(cluster)

    def workspace_of(self, pod: Pod) -> Maybe[Workspace]:
        """The workspace that a pod's namespace belongs to."""
        silent = self.silence(System.PLATFORM, "", "records")
        return silent or self.workspace_of_namespace.get((pod.cluster, pod.namespace))

    def slurm_jobs(self, cluster: str) -> Maybe[list[SlurmJob]]:
        """The jobs of every Slurm of a cluster; None where it has no Slurm."""
        slurms = [slurm for slurm, home in self.slurms.items() if home == cluster]
        if not slurms:
            return None
        for slurm in slurms:
            silent = self.silence(System.SLURM, slurm, "jobs")
            if silent:
                return silent
        group = self.listings.slurm_jobs.group
        return [job for slurm in slurms for job in group("slurm", slurm).values()]

    def _listed(self, cluster: str, kind: str, table: Table[K, R]) -> Maybe[Mapping[K, R]]:
        """What Kubernetes told of a kind that it may not serve."""
        if not self.has(System.KUBERNETES, cluster, kind):
            return None
        return self.silence(System.KUBERNETES, cluster, kind) or table.group("cluster", cluster)

    def machine_of_slurm(self, slurm: str, name: str) -> Node | None:
        """The machine that this Slurm calls by this name, or may, while it is silent."""
        homes = (self.slurms.get(slurm, ""), *self.clusters)
        machines = (self.node(home, name) for home in homes)
        return next((one for one in machines if one and _is_of(slurm, one)), None)

    def slurm_silence(self, cluster: str) -> Unknown | None:
        """Why the nodes of a Slurm of this cluster may not be shown, or None."""
        reasons = (
            self.silence(System.SLURM, slurm, "nodes")
            for slurm, home in self.slurms.items()
            if home == cluster
        )
        return next((reason for reason in reasons if reason), None)


def _is_of(slurm: str, node: Node) -> bool:
    part = node.slurm
    return part is not None and slurm == (part.slurm_cluster if isinstance(part, SlurmNode) else part.place)


def _passed(value: object) -> Unknown | None:
    return value if isinstance(value, Unknown) else None
