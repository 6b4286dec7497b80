"""A team's share of a tenant."""

from typing import TYPE_CHECKING, Annotated

import strawberry

from gateway.errors import System
from gateway.fleet import platform as records
from resolvers import alert as alerting
from resolvers import pending
from resolvers import workspace as resolve
from schema.alert import Alert
from schema.capacity import GpuAllocation
from schema.entity import Entity
from schema.gpu import Money
from schema.paging import Connection
from schema.pending import PendingReason
from schema.pod import Pod
from schema.provenance import EVERY, platform, queues
from schema.queue import Queue
from schema.quota import NamespaceQuota
from schema.unknown import Unknown
from schema.view import answer, attribute, unknowns, view

if TYPE_CHECKING:
    from schema.cluster import Cluster
    from schema.tenant import Tenant


@view(records.Workspace)
class Workspace(Entity):
    """A team's share: a scheduler queue with a ceiling, a deserved share and a borrowing flag."""

    id: strawberry.ID
    name: str = attribute("Its name, one in its tenant.", platform("workspace.name"))
    tenant: Annotated["Tenant", strawberry.lazy("schema.tenant")] = answer(resolve.tenant)
    cluster: Annotated["Cluster", strawberry.lazy("schema.cluster")] = answer(resolve.cluster)
    namespaces: list[str] = attribute("Whose pods are its pods.", platform("workspace_namespace.namespace"))
    allocations: list[GpuAllocation] | None = answer(resolve.allocations, platform("gpu_allocation"))
    queue: Queue | None = answer(resolve.queue, queues("queue"))
    pods: Connection[Pod] | None = answer(resolve.pods, needs=[System.KUBERNETES])
    pending_reasons: Connection[PendingReason] | None = answer(pending.of_workspace, needs=[System.PLATFORM])
    quotas: list[NamespaceQuota] | None = answer(resolve.quotas, needs=[System.KUBERNETES])
    cost_per_hour: Money | None = answer(resolve.cost_per_hour, needs=[System.PLATFORM])
    alerts: Connection[Alert] | None = answer(alerting.of_workspace, needs=EVERY)
    unknowns: list[Unknown] = unknowns()
