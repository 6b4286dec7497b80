"""Where every question starts."""

from gateway.errors import System
from gateway.fleet.cluster import Cluster
from gateway.fleet.fleet import Fleet
from gateway.fleet.node import Node
from gateway.fleet.platform import Tenant, Workspace
from gateway.fleet.pod import Pod
from gateway.fleet.slurm import SlurmJob
from gateway.fleet.source import SourceStatus
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.context import Info
from resolvers.inputs import TenantFilter, chosen
from resolvers.paging import Asked, Page, page


def clusters(info: Info) -> list[Cluster]:
    """Every cluster that the gateway is configured to read, reached or not."""
    fleet = info.context.fleet
    return [found for name in fleet.clusters if (found := fleet.cluster(name))]


def cluster(info: Info, name: str) -> Cluster | None:
    """One cluster by name."""
    return info.context.fleet.cluster(name)


def node(info: Info, cluster: str, name: str) -> Maybe[Node]:
    """One machine, whichever system knows it."""
    return find_node(info.context.fleet, cluster, name)


def tenants(
    info: Info, first: int = 50, after: str | None = None, filter: TenantFilter | None = None
) -> Maybe[Page[Tenant]]:
    """Every tenant, by name; null without an error where there are no platform records."""
    fleet = info.context.fleet
    platform = fleet.platform
    if isinstance(platform, Unknown):
        return platform
    if not fleet.has(System.PLATFORM, "", "records"):
        return None
    wanted = filter or TenantFilter()
    rows = (((one.name,), one) for one in platform.tenants.values() if chosen(wanted.names, one.name))
    return page(rows, Asked(first=first, after=after, scope=("tenants", wanted)))


def tenant(info: Info, name: str) -> Maybe[Tenant]:
    """One tenant by name."""
    return find_tenant(info.context.fleet, name)


def workspace(info: Info, tenant: str, name: str) -> Maybe[Workspace]:
    """One workspace by its tenant's name and its own."""
    return find_workspace(info.context.fleet, tenant, name)


def pod(info: Info, cluster: str, namespace: str, name: str) -> Maybe[Pod]:
    """One pod by name."""
    return find_pod(info.context.fleet, cluster, namespace, name)


def slurm_job(info: Info, slurm_cluster: str, job_id: str) -> Maybe[SlurmJob]:
    """One job by its number."""
    return find_job(info.context.fleet, slurm_cluster, job_id)


def sources(info: Info) -> list[SourceStatus]:
    """How fresh each source is, and everything that its last sync could not read."""
    return list(info.context.fleet.sources)


def cluster_of(fleet: Fleet, name: str) -> Cluster:
    """The cluster that a thing is in; a record may name one that nobody reads."""
    return fleet.cluster(name) or Cluster(name=name, kubernetes_version=None)


def find_node(fleet: Fleet, cluster: str, name: str) -> Maybe[Node]:
    """A machine; where nobody who answers knows it, the silence of who might."""
    return (
        fleet.node(cluster, name)
        or fleet.silence(System.KUBERNETES, cluster, "nodes")
        or first_unknown(fleet.platform)
        or fleet.slurm_silence(cluster)
    )


def find_tenant(fleet: Fleet, name: str) -> Maybe[Tenant]:
    """A tenant of the platform's records."""
    platform = fleet.platform
    return platform if isinstance(platform, Unknown) else platform.tenants.get(name)


def find_workspace(fleet: Fleet, tenant: str, name: str) -> Maybe[Workspace]:
    """A workspace of the platform's records."""
    platform = fleet.platform
    return platform if isinstance(platform, Unknown) else platform.workspaces.get((tenant, name))


def find_pod(fleet: Fleet, cluster: str, namespace: str, name: str) -> Maybe[Pod]:
    """A pod of a cluster."""
    silent = fleet.silence(System.KUBERNETES, cluster, "pods")
    return silent or fleet.listings.pods.get((cluster, namespace, name))


def find_job(fleet: Fleet, slurm: str, job_id: str) -> Maybe[SlurmJob]:
    """A job of a Slurm."""
    silent = fleet.silence(System.SLURM, slurm, "jobs")
    return silent or fleet.listings.slurm_jobs.get((slurm, job_id))
