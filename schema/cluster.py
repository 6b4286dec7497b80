"""A cluster."""

import strawberry

from gateway.errors import System
from gateway.fleet import cluster as records
from resolvers import alert as alerting
from resolvers import cluster as resolve
from resolvers import pending
from schema.alert import Alert
from schema.capacity import GpuBalance
from schema.entity import Entity
from schema.gpu import GpuType
from schema.mig_slice import MigSlice
from schema.node import Node
from schema.paging import Connection
from schema.pending import PendingReason
from schema.pod import Pod
from schema.provenance import EVERY, MACHINES, derived, kubernetes
from schema.queue import Queue
from schema.slurm import SlurmJob
from schema.view import answer, attribute, view


@view(records.Cluster)
class Cluster(Entity):
    """A Kubernetes cluster, with the Slurms that share its machines."""

    id: strawberry.ID
    name: str = attribute("As the gateway is configured.", derived("configured"))
    kubernetes_version: str | None = attribute("What its API server calls itself.", kubernetes("/version"))
    nodes: Connection[Node] | None = answer(resolve.nodes, needs=MACHINES)
    gpu_types: list[GpuType] | None = answer(resolve.gpu_types, needs=MACHINES)
    capacity: list[GpuBalance] | None = answer(resolve.capacity, needs=MACHINES)
    mig_slices: Connection[MigSlice] | None = answer(resolve.mig_slices, needs=[System.KUBERNETES])
    queues: list[Queue] | None = answer(resolve.queues, needs=[System.QUEUES])
    pods: Connection[Pod] | None = answer(resolve.pods, needs=[System.KUBERNETES])
    slurm_jobs: Connection[SlurmJob] | None = answer(resolve.slurm_jobs, needs=[System.SLURM])
    pending_reasons: Connection[PendingReason] | None = answer(pending.of_cluster, needs=[System.PLATFORM])
    alerts: Connection[Alert] | None = answer(alerting.of_cluster, needs=EVERY)
