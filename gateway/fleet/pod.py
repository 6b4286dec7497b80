"""Pods: the work that Kubernetes runs or is asked to run."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from immutables import Map

from gateway.fleet.condition import Condition
from gateway.fleet.constraints import UNCONSTRAINED, Constraints
from gateway.fleet.container import ContainerState
from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.gpu import GpuClaim
from gateway.fleet.unknown import Maybe, Unknown
from gateway.fleet.workload import WorkloadState

BY_KUBELET = "KubeletAdmission"
"""The type of the condition that stands for the kubelet's word: it writes none of its own."""
_NOTHING: Map[str, Decimal | Unknown] = Map()
_UNLABELLED: Map[str, str] = Map()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod as Kubernetes tells of it."""

    cluster: str
    namespace: str
    name: str
    uid: str
    phase: str
    """status.phase as Kubernetes writes it."""
    state: WorkloadState
    node_name: str | None
    """The node it is bound to."""
    gpus: tuple[GpuClaim, ...]
    """What it asks of GPU resources; zeros are left out."""
    priority: int | None
    priority_class: str | None
    controller: str | None
    """kind/name of the controlling owner."""
    group_name: str | None
    """The PodGroup that it names, in its own namespace."""
    scheduler_name: str | None
    created_at: Maybe[datetime]
    started_at: Maybe[datetime]
    terminating: bool
    ended: bool
    """Succeeded or Failed: it holds nothing."""
    requests: Map[str, Decimal | Unknown] = _NOTHING
    """What it asks of every resource, as a node must have it left; pods that ask alike share one."""
    labels: Map[str, str] = _UNLABELLED
    """Pods that are labelled alike share one."""
    constraints: Constraints | Unknown = UNCONSTRAINED
    """Where it may run; pods that may run alike share one."""
    turned_down: Condition | None = None
    """Why a scheduler turned it down last (PodScheduled, while it is False), or the kubelet failed it."""
    nominated_node: str | None = None
    """Where room is made, or kept, for it while it is not bound."""
    gated: bool = False
    """A scheduling gate keeps every scheduler from it."""
    preempts: bool = True
    """Its preemptionPolicy is not Never."""
    preemptable: bool = True
    """Volcano may evict it for others."""
    task: str | None = None
    """Its role in the group that it names."""
    gpus_given: tuple[str, ...] = ()
    """GPU resources that a LimitRange gave to a container that named none."""
    containers: tuple[ContainerState, ...] = ()
    """What they do, init containers first; told of operands alone."""

    @property
    def id(self) -> str:
        """The id: cluster and uid, so that a namesake is another pod."""
        return entity_id(EntityKind.POD, self.cluster, self.namespace, self.name, self.uid)

    @property
    def user(self) -> None:
        """Nobody: Kubernetes does not say who asked for a pod."""
        return None

    @property
    def holds_gpus(self) -> bool:
        """Whether it is bound, not ended, and asks for GPUs."""
        return self.node_name is not None and not self.ended and bool(self.gpus)
