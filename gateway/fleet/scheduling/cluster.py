"""A cluster of the fleet as its scheduler sees it."""

from collections.abc import Mapping

from gateway.fleet.fleet import Fleet
from gateway.fleet.scheduling.view import ClusterView, view_of
from gateway.fleet.unknown import Unknown


def seen_by_scheduler(fleet: Fleet, cluster: str) -> ClusterView | Unknown:
    """What its scheduler sees; unknown where the cluster is silent about its nodes."""
    nodes, pods, namespaces = fleet.nodes(cluster), fleet.pods(cluster), fleet.namespaces(cluster)
    if isinstance(nodes, Unknown):
        return nodes
    labels = None
    if isinstance(namespaces, Mapping):
        labels = {one.name: one.labels for one in namespaces.values()}
    waiting = () if isinstance(pods, Unknown) else [one for one in pods.values() if one.nominated_node]
    return view_of(nodes.values(), labels, waiting)
