"""A cluster."""

import strawberry

from gateway.fleet import cluster as records
from resolvers import cluster as resolve
from schema.capacity import GpuBalance
from schema.entity import Entity
from schema.gpu import GpuType
from schema.mig_slice import MigSlice
from schema.node import Node
from schema.paging import Connection
from schema.pod import Pod
from schema.provenance import derived, kubernetes
from schema.queue import Queue
from schema.slurm import SlurmJob
from schema.unknown import EVERY
from schema.view import answer, attribute, view


@view(records.Cluster)
class Cluster(Entity):
    """A Kubernetes cluster, with the Slurms that share its machines."""

    id: strawberry.ID
    name: str = attribute("As the gateway is configured.", derived("identity", *EVERY))
    kubernetes_version: str | None = attribute("What its API server calls itself.", kubernetes("/version"))
    nodes: Connection[Node] | None = answer(resolve.nodes)
    gpu_types: list[GpuType] | None = answer(resolve.gpu_types)
    capacity: list[GpuBalance] | None = answer(resolve.capacity)
    mig_slices: Connection[MigSlice] | None = answer(resolve.mig_slices)
    queues: list[Queue] | None = answer(resolve.queues)
    pods: Connection[Pod] | None = answer(resolve.pods)
    slurm_jobs: Connection[SlurmJob] | None = answer(resolve.slurm_jobs)
