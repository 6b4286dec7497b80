"""What settings must be together: each alone may be right and still contradict another."""

import ipaddress
from collections.abc import Iterable, Iterator

from gateway.settings.model import ClusterSettings, PostgresSettings, Settings


def contradictions(settings: Settings, *, whole: bool) -> list[str]:
    """Every contradiction, as a line that names the settings and the fix; not whole: some were left out."""
    return [
        *_host(settings.host),
        *_postgres(settings),
        *_cache(settings),
        *_repeated("clusters", (cluster.name for cluster in settings.clusters)),
        *_repeated("slurms", (slurm.name for slurm in settings.slurms)),
        *(problem for cluster in settings.clusters for problem in _cluster(cluster)),
        *(_anything(settings) if whole else ()),
        *(_homes(settings) if whole else ()),
    ]


def _host(host: str) -> Iterator[str]:
    if not _is_loopback(host):
        yield (
            f"host: {host} is not loopback: the gateway cannot be told yet who may ask, so it would show"
            " every tenant to whoever reaches it. Use 127.0.0.1 behind a proxy that knows its callers"
        )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _anything(settings: Settings) -> Iterator[str]:
    if not (settings.clusters or settings.slurms or settings.postgres != PostgresSettings()):
        yield (
            "clusters, slurms, postgres: nothing is configured:"
            " name at least one system to read in the file of GPU_GATEWAY_CONFIG"
        )


def _postgres(settings: Settings) -> Iterator[str]:
    for name in ("dsn", "recorder_dsn", "reconciler_dsn", "health_dsn"):
        dsn, file = getattr(settings.postgres, name), getattr(settings.postgres, f"{name}_file")
        if dsn and file:
            yield f"postgres: {name} and {name}_file are both set: keep one"
        elif file and not file.read_text().strip():
            yield f"postgres: {name}_file: {file} is empty: put the DSN into it"


def _cache(settings: Settings) -> Iterator[str]:
    if settings.cache.password_file and not settings.cache.url:
        yield "cache: password_file is set without url: set url too"


def _repeated(what: str, names: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield f"{what}: two are named {name}: give each its own name"
        seen.add(name)


def _cluster(cluster: ClusterSettings) -> Iterator[str]:
    ways = [way for way in ("kubeconfig", "in_cluster", "url") if getattr(cluster, way)]
    if len(ways) != 1:
        told = f"has {' and '.join(ways)}" if ways else "says not how it is reached"
        yield f"clusters: {cluster.name} {told}: set one of kubeconfig, in_cluster and url"
    if cluster.context and not cluster.kubeconfig:
        yield f"clusters: {cluster.name} has context without kubeconfig: set kubeconfig too"
    for name in ("token_file", "ca_file"):
        if getattr(cluster, name) and not cluster.url:
            yield f"clusters: {cluster.name} has {name} without url: set url too"


def _homes(settings: Settings) -> Iterator[str]:
    clusters = {cluster.name for cluster in settings.clusters}
    for slurm in settings.slurms:
        if clusters and slurm.cluster not in clusters:
            names = ", ".join(sorted(clusters))
            yield f"slurms: {slurm.name} is on cluster {slurm.cluster}, which is not among {names}"
