"""Settings become the addresses and credentials by which sources are reached."""

from gateway.settings import CacheSettings, ClusterSettings, SlurmSettings
from gateway.sources.kubernetes.access import ClusterAccess, InCluster, Kubeconfig, Url
from gateway.sources.slurm.access import SlurmAccess
from gateway.sources.slurm.shared.access import CacheAccess


def cluster_access(cluster: ClusterSettings) -> ClusterAccess:
    """How a cluster's API server is reached."""
    way: Kubeconfig | InCluster | Url
    if cluster.kubeconfig is not None:
        way = Kubeconfig(path=cluster.kubeconfig, context=cluster.context)
    elif cluster.url is not None:
        way = Url(url=cluster.url, token_file=cluster.token_file, ca_file=cluster.ca_file)
    else:
        way = InCluster()
    return ClusterAccess(name=cluster.name, way=way)


def slurm_access(slurm: SlurmSettings) -> SlurmAccess:
    """How a slurmrestd is reached."""
    return SlurmAccess(
        name=slurm.name, cluster=slurm.cluster, url=slurm.url, user=slurm.user, token_file=slurm.token_file
    )


def cache_access(cache: CacheSettings) -> CacheAccess | None:
    """How the replicas' common cache is reached, where there is one."""
    return None if cache.url is None else CacheAccess(url=cache.url, password_file=cache.password_file)
