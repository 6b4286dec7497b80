"""Where every question starts."""

import strawberry

from gateway.errors import System
from resolvers import alert as alerting
from resolvers import controller as controlling
from resolvers import entity as again
from resolvers import fits as fitting
from resolvers import impact as judging
from resolvers import query as resolve
from schema.alert import Alert
from schema.change import Impact
from schema.cluster import Cluster
from schema.controller import ControllerStatus
from schema.entity import Entity
from schema.fits import FitReport
from schema.node import Node
from schema.paging import Connection
from schema.pod import Pod
from schema.provenance import EVERY, MACHINES
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
    node: Node | None = answer(resolve.node, needs=MACHINES)
    tenants: Connection[Tenant] | None = answer(resolve.tenants, needs=[System.PLATFORM])
    tenant: Tenant | None = answer(resolve.tenant, needs=[System.PLATFORM])
    workspace: Workspace | None = answer(resolve.workspace, needs=[System.PLATFORM])
    pod: Pod | None = answer(resolve.pod, needs=[System.KUBERNETES])
    slurm_job: SlurmJob | None = answer(resolve.slurm_job, needs=[System.SLURM])
    entity: Entity | None = answer(again.entity, needs=EVERY)
    entities: list[Entity | None] = answer(again.entities, needs=EVERY)
    alerts: Connection[Alert] | None = answer(alerting.alerts, needs=EVERY)
    sources: list[SourceStatus] = answer(resolve.sources)
    fits: FitReport | None = answer(fitting.fits, needs=MACHINES)
    impact: Impact | None = answer(judging.impact, needs=EVERY)
    controllers: list[ControllerStatus] | None = answer(controlling.controllers, needs=[System.PLATFORM])
