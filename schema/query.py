"""Where every question starts."""

import strawberry

from resolvers import entity as again
from resolvers import query as resolve
from schema.cluster import Cluster
from schema.entity import Entity
from schema.node import Node
from schema.paging import Connection
from schema.pod import Pod
from schema.slurm import SlurmJob
from schema.source import SourceStatus
from schema.tenant import Tenant
from schema.view import answer
from schema.workspace import Workspace


@strawberry.type(description="Where every question starts.")
class Query:
    """Where every question starts."""

    clusters: list[Cluster] = answer(resolve.clusters)
    cluster: Cluster | None = answer(resolve.cluster)
    node: Node | None = answer(resolve.node)
    tenants: Connection[Tenant] | None = answer(resolve.tenants)
    tenant: Tenant | None = answer(resolve.tenant)
    workspace: Workspace | None = answer(resolve.workspace)
    pod: Pod | None = answer(resolve.pod)
    slurm_job: SlurmJob | None = answer(resolve.slurm_job)
    entity: Entity | None = answer(again.entity)
    entities: list[Entity | None] = answer(again.entities)
    sources: list[SourceStatus] = answer(resolve.sources)
