"""Alerts: of the fleet, of a cluster, a machine, a tenant, a workspace; and what an alert crosses to."""

from collections.abc import Iterable

import strawberry

from gateway.fleet.alert import Alert, Remedy
from gateway.fleet.cluster import Cluster
from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.node import Node
from gateway.fleet.platform import Tenant, Workspace
from gateway.fleet.unknown import Maybe
from resolvers.alert_filter import AlertFilter, is_wanted, place
from resolvers.context import Info
from resolvers.entity import find_entity
from resolvers.paging import Asked, Page, page
from resolvers.query import find_tenant

Alerts = Maybe[Page[Alert]]


def alerts(
    info: Info, first: int = 50, after: str | None = None, filter: AlertFilter | None = None
) -> Alerts:
    """Where systems disagree, or one stopped telling the truth: the gravest first, then the newest.

    A silent system takes no alert away: what needs it stays as it was found last.
    """
    rows = info.context.fleet.alerts.rows.values()
    return _page(rows, Asked(first=first, after=after, scope=("alerts",)), filter)


def of_cluster(
    cluster: strawberry.Parent[Cluster],
    info: Info,
    first: int = 50,
    after: str | None = None,
    filter: AlertFilter | None = None,
) -> Alerts:
    """Those of this cluster, its queues and its Slurms."""
    rows = info.context.fleet.alerts.group("cluster", cluster.name).values()
    return _page(rows, Asked(first=first, after=after, scope=("alerts", cluster.id)), filter)


def of_node(
    node: strawberry.Parent[Node],
    info: Info,
    first: int = 50,
    after: str | None = None,
    filter: AlertFilter | None = None,
) -> Alerts:
    """Those about this machine."""
    rows = info.context.fleet.alerts.group("subject", node.id).values()
    return _page(rows, Asked(first=first, after=after, scope=("alerts", node.id)), filter)


def of_tenant(
    tenant: strawberry.Parent[Tenant],
    info: Info,
    first: int = 50,
    after: str | None = None,
    filter: AlertFilter | None = None,
) -> Alerts:
    """Those about its machines, its workspaces and their queues."""
    rows = info.context.fleet.alerts.group("tenant", tenant.name).values()
    return _page(rows, Asked(first=first, after=after, scope=("alerts", tenant.id)), filter)


def of_workspace(
    workspace: strawberry.Parent[Workspace],
    info: Info,
    first: int = 50,
    after: str | None = None,
    filter: AlertFilter | None = None,
) -> Alerts:
    """Those about what it was given, and about its queue."""
    group = info.context.fleet.alerts.group
    rows = [alert for subject in _parts(workspace) for alert in group("subject", subject).values()]
    return _page(rows, Asked(first=first, after=after, scope=("alerts", workspace.id)), filter)


def subject(alert: strawberry.Parent[Alert], info: Info) -> Maybe[object]:
    """What it is about; null where that is gone."""
    return find_entity(info.context.fleet, alert.finding.subject)


def cluster(alert: strawberry.Parent[Alert], info: Info) -> Cluster | None:
    """The cluster that it is about."""
    name = alert.finding.cluster
    return info.context.fleet.cluster(name) if name else None


def tenant(alert: strawberry.Parent[Alert], info: Info) -> Maybe[Tenant]:
    """The tenant whose machine, workspace or queue it is about."""
    name = alert.finding.tenant
    return find_tenant(info.context.fleet, name) if name else None


def remedy_subject(remedy: strawberry.Parent[Remedy], info: Info) -> Maybe[object]:
    """To what it is done; null where that is gone, or is not in this graph."""
    return find_entity(info.context.fleet, remedy.subject) if remedy.subject else None


def _page(rows: Iterable[Alert], asked: Asked, filter: AlertFilter | None) -> Page[Alert]:
    wanted = filter or AlertFilter()
    scope = Asked(first=asked.first, after=asked.after, scope=(*asked.scope, wanted))
    return page(((place(alert), alert) for alert in rows if is_wanted(alert, wanted)), scope)


def _parts(workspace: Workspace) -> Iterable[str]:
    """The ids of a workspace, of what it was given, and of its queue."""
    names = (workspace.tenant_name, workspace.name)
    yield workspace.id
    yield from (entity_id(EntityKind.ALLOCATION, *names, one.gpu_type) for one in workspace.allocations)
    if workspace.queue_name:
        yield entity_id(EntityKind.QUEUE, workspace.cluster_name, workspace.queue_name)
