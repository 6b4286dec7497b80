"""A pod that asks for GPUs, and its group."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry

from gateway.errors import System
from gateway.fleet import pod as records
from gateway.fleet import queue as queue_records
from gateway.fleet.workload import WorkloadState
from resolvers import diagnosis as diagnosing
from resolvers import pending
from resolvers import pod as resolve
from schema.diagnosis import Diagnosis
from schema.entity import Entity, Workload
from schema.gpu import GpuClaim
from schema.node import Condition, Node
from schema.paging import Connection
from schema.pending import PendingReason
from schema.provenance import EVERY, derived, kubernetes, queues
from schema.queue import Queue
from schema.view import answer, attribute, view

if TYPE_CHECKING:
    from schema.cluster import Cluster
    from schema.workspace import Workspace

KUBERNETES = System.KUBERNETES


@view(queue_records.PodGroup)
class PodGroup:
    """Pods that are placed together or not at all."""

    name: str = attribute("Its name, in the namespace of its pods.", queues("podgroup metadata.name"))
    phase: str = attribute(
        "Pending, Inqueue, Running, Unknown or Completed.", queues("podgroup status.phase")
    )
    min_member: int = attribute("How many pods must be placed at once.", queues("podgroup spec.minMember"))
    conditions: list[Condition] = attribute("They never become False: the newest speaks.")


@view(records.Pod)
class Pod(Workload, Entity):
    """A pod of a cluster."""

    id: strawberry.ID
    name: str = attribute("Its name; a namesake may come after it.", kubernetes("metadata.name"))
    namespace: str = attribute("The namespace that it is in.", kubernetes("metadata.namespace"))
    uid: str = attribute("A namesake made later has another.", kubernetes("metadata.uid"))
    cluster: Annotated["Cluster", strawberry.lazy("schema.cluster")] = answer(resolve.cluster)
    state: WorkloadState = attribute(
        "In the words that all schedulers share.", derived("workload-state", KUBERNETES)
    )
    phase: str = attribute("In Kubernetes' own word.", kubernetes("status.phase"))
    node: Node | None = answer(resolve.node, needs=[KUBERNETES])
    workspace: Annotated["Workspace", strawberry.lazy("schema.workspace")] | None = answer(
        resolve.workspace, needs=[System.PLATFORM]
    )
    queue: Queue | None = answer(resolve.queue, needs=[System.QUEUES])
    pod_group: PodGroup | None = answer(resolve.pod_group, needs=[System.QUEUES])
    controller: str | None = attribute(
        "kind/name of the owner that makes it.", kubernetes("metadata.ownerReferences")
    )
    user: str | None = attribute(
        "Always null: Kubernetes does not say who asked.", derived("identity", KUBERNETES)
    )
    gpus: list[GpuClaim] = answer(resolve.gpus, needs=[KUBERNETES])
    priority: int | None = attribute("Higher goes first.", kubernetes("spec.priority"))
    priority_class: str | None = attribute(
        "The class that its priority is of.", kubernetes("spec.priorityClassName")
    )
    started_at: datetime | None = attribute("When the kubelet took it.", kubernetes("status.startTime"))
    created_at: datetime | None = attribute("When it was made.", kubernetes("metadata.creationTimestamp"))
    pending_reasons: Connection[PendingReason] | None = answer(pending.of_pod, needs=[System.PLATFORM])
    diagnosis: Diagnosis | None = answer(diagnosing.of_pod, needs=EVERY)
