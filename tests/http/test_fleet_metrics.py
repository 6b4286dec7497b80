from prometheus_client import CollectorRegistry

from gateway.controllers.alert_keeper import AlertKeeper
from gateway.http.fleet_metrics import FleetMetrics
from tests.builders import CLUSTER, a_node, a_record, some_records
from tests.fleets import NEVER, NODES, a_keeper
from tests.quotas import RESOURCE_QUOTAS, a_quota, with_quotas

GPU = "nvidia.com/gpu"


def value(keeper, name, **labels):
    registry = CollectorRegistry()
    registry.register(FleetMetrics(keeper.pin))
    return registry.get_sample_value(f"gpu_gateway_{name}", labels)


def test_open_alerts_are_counted_by_kind():
    keeper = a_keeper(records=some_records([a_record("gone-1", claims=8), a_record("gone-2", claims=8)]))
    AlertKeeper(keeper).look_once()
    assert value(keeper, "alerts", kind="ORPHANED_RECORD", severity="WARNING", cluster=CLUSTER) == 2
    assert value(keeper, "alerts", kind="CARDS_LOST", severity="WARNING", cluster=CLUSTER) is None


def test_machines_are_counted_by_what_is_wrong_with_them():
    whole, lost = {GPU: 8}, {GPU: 6}
    keeper = a_keeper([a_node("a", capacity=whole, allocatable=lost), a_node("b", ready=False), a_node("c")])
    assert value(keeper, "node_health_reasons", cluster=CLUSTER, code="CARDS_LOST") == 1
    assert value(keeper, "node_health_reasons", cluster=CLUSTER, code="NOT_READY") == 1
    keeper.touch(NODES, NEVER)
    assert value(keeper, "node_health_reasons", cluster=CLUSTER, code="NOT_READY") is None


def test_of_a_quota_the_used_part_is_told_where_it_holds_anybody_back():
    binding, useless, empty = f"requests.{GPU}", GPU, "requests.nvidia.com/mig-1g.10gb"
    hard = {binding: "8", useless: "8", empty: "0"}
    keeper = with_quotas(a_keeper(), [a_quota(hard, {binding: "6", useless: "6", empty: "0"})])
    place = {"cluster": CLUSTER, "namespace": "training", "quota": "gpus"}
    assert value(keeper, "quota_used_ratio", **place, resource=binding) == 0.75
    assert value(keeper, "quota_used_ratio", **place, resource=useless) is None
    assert value(keeper, "quota_used_ratio", **place, resource=empty) is None


def test_an_amount_that_is_not_counted_or_not_read_has_no_sample():
    binding = f"requests.{GPU}"
    place = {"cluster": CLUSTER, "namespace": "training", "quota": "gpus", "resource": binding}
    for hard, used in (({binding: "8"}, {}), ({binding: "eight"}, {binding: "6"})):
        keeper = with_quotas(a_keeper(), [a_quota(hard, used)])
        assert value(keeper, "quota_used_ratio", **place) is None
    keeper = with_quotas(a_keeper(), [a_quota({binding: "8"}, {binding: "6"})])
    keeper.touch(RESOURCE_QUOTAS, NEVER)
    assert value(keeper, "quota_used_ratio", **place) is None
