from immutables import Map

from gateway.errors import System
from gateway.fleet.namespace import NAMESPACES, Namespace
from gateway.fleet.scheduling.cluster import seen_by_scheduler
from gateway.fleet.scheduling.verdict import verdicts
from gateway.fleet.source import SourceKey
from gateway.fleet.unknown import Unknown
from tests.builders import CLUSTER
from tests.fleet.scheduling.scenes import node, pod, pod_terms
from tests.fleets import FRESH, NEVER, NODES, a_keeper

GOLD = {"topologyKey": "kubernetes.io/hostname", "namespaceSelector": {"matchLabels": {"tier": "gold"}}}
ASK = pod(**pod_terms("podAntiAffinity", {**GOLD, "labelSelector": {}}))
SPACES = SourceKey(System.KUBERNETES, CLUSTER, NAMESPACES)


def fits(keeper):
    cluster = seen_by_scheduler(keeper.pin(), CLUSTER)
    return {one.node: one.fits for one in verdicts(ASK, cluster)}


def a_cluster():
    return a_keeper([node("a"), node("b")], [pod("db", on="a", namespace="data")])


def test_sees_nodes_pods_and_the_labels_of_namespaces():
    keeper = a_cluster()
    space = Namespace(cluster=CLUSTER, name="data", labels=Map(tier="gold"))
    keeper.replace(SPACES, {"data": space}, FRESH)

    assert fits(keeper) == {"a": False, "b": True}


def test_does_without_namespaces_where_they_cannot_be_seen():
    assert all(isinstance(answer, Unknown) for answer in fits(a_cluster()).values())


def test_sees_nothing_where_the_cluster_is_silent():
    keeper = a_cluster()
    keeper.touch(NODES, NEVER)

    assert isinstance(seen_by_scheduler(keeper.pin(), CLUSTER), Unknown)
