"""Each filter against machines of which it holds, of which it does not, and of which nobody knows."""

import pytest

from gateway.errors import System
from gateway.fleet.platform import Target
from gateway.fleet.unknown import undetermined
from tests.asking import Gateway
from tests.builders import a_job, a_node, a_pod, a_record, a_slurm_node, some_records
from tests.fleets import FRESH, NEVER, NODES, PODS, RECORDS, SLURM_JOBS, SLURM_NODES, a_keeper
from tests.gpu_labels import A100, GPU, H100, mixed, single, whole

QUERY = """query ($filter: NodeFilter) {
  cluster(name: "fleet") { nodes(filter: $filter) { totalCount nodes { name } } }
}"""
UNSURE = undetermined(System.KUBERNETES, "the kubelet stopped saying")


def found(keeper, **wanted):
    page = Gateway(keeper).data(QUERY, filter=wanted)["cluster"]["nodes"]
    assert page["totalCount"] == len(page["nodes"])
    return [node["name"] for node in page["nodes"]]


def refusal(keeper, **wanted):
    return Gateway(keeper).refusal(QUERY, filter=wanted)


def test_healthy_is_neither_true_nor_false_where_nobody_can_tell():
    nodes = [a_node("well"), a_node("ill", ready=False), a_node("unsure", ready=UNSURE)]
    keeper = a_keeper(nodes=nodes, records=some_records(nodes=[a_record("gone")]))

    assert found(keeper) == ["gone", "ill", "unsure", "well"]
    assert (found(keeper, healthy=True), found(keeper, healthy=False)) == (["well"], ["ill"])
    assert found(keeper, healthy=None) == found(keeper)


def test_cordoned_is_what_kubernetes_says():
    keeper = a_keeper(
        nodes=[a_node("open"), a_node("shut", cordoned=True)], slurm_nodes=[a_slurm_node("island")]
    )

    assert (found(keeper, cordoned=True), found(keeper, cordoned=False)) == (["shut"], ["open"])


def test_busy_is_by_work_of_either_scheduler():
    nodes = [a_node(name) for name in ("both", "idle", "pods")]
    keeper = a_keeper(
        nodes=nodes,
        pods=[a_pod("a", "pods")],
        slurm_nodes=[a_slurm_node("both"), a_slurm_node("island")],
        jobs=[a_job("7", {"both": 2})],
    )

    assert (found(keeper, busy=True), found(keeper, busy=False)) == (["both", "pods"], ["idle", "island"])


def test_mig_profiles_are_those_of_slices_that_are_there():
    cut = {"nvidia.com/mig-1g.10gb": 7, "nvidia.com/mig-3g.40gb": 0}
    keeper = a_keeper(
        nodes=[
            a_node("single", labels=single(14, "1g.10gb"), capacity={GPU: 14}),
            a_node("mixed", labels=mixed(1), capacity={GPU: 0, **cut}),
            a_node("large", labels=mixed(1), capacity={"nvidia.com/mig-3g.40gb": 2}),
            a_node("whole"),
        ]
    )

    assert found(keeper, migProfiles=["1g.10gb"]) == ["mixed", "single"]
    assert found(keeper, migProfiles=["3g.40gb"]) == ["large"]
    assert found(keeper, migProfiles=["3g.40gb", "1g.10gb"]) == ["large", "mixed", "single"]
    assert found(keeper, migProfiles=["7g.80gb"]) == []


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("zone=a", ["one"]),
        ("zone!=a", ["three", "two"]),
        ("zone in (a, b)", ["one", "two"]),
        ("zone notin (a),rack", ["two"]),
        ("zone", ["one", "two"]),
        ("!zone", ["three"]),
        ("rack>6", ["two"]),
        ("", ["one", "three", "two"]),
    ],
)
def test_a_label_selector_selects_as_kubernetes_does(selector, names):
    labels = {"one": {"zone": "a", "rack": "6"}, "two": {"zone": "b", "rack": "10"}, "three": {}}
    nodes = [a_node(name, labels={**whole(), **told}) for name, told in labels.items()]
    keeper = a_keeper(nodes=nodes, slurm_nodes=[a_slurm_node("island")])

    assert found(keeper, labelSelector=selector) == names


def test_a_selector_that_kubernetes_would_refuse_is_invalid_with_the_place_and_the_fix():
    error = refusal(a_keeper(), labelSelector="zone in (a")

    assert (error["path"], error["extensions"]) == (["cluster", "nodes"], {"code": "INVALID"})
    assert error["message"] == (
        "labelSelector: 'zone in (a' is no label selector: found the end at character 11: "
        "separate values by commas and close them with )"
    )


def test_conditions_hold_together_and_alternatives_one_at_a_time():
    nodes = [a_node("a"), a_node("b", labels=whole(4, A100)), a_node("c", cordoned=True)]
    keeper = a_keeper(nodes=nodes, pods=[a_pod("x", "a")])

    assert found(keeper, gpuTypes=[H100, A100], cordoned=False) == ["a", "b"]
    assert found(keeper, gpuTypes=[H100], cordoned=False, busy=False) == []
    assert found(keeper, names=[]) == []


@pytest.mark.parametrize(
    ("silent", "wanted", "system"),
    [
        (RECORDS, {"targets": ["SLURM"]}, "PLATFORM"),
        (RECORDS, {"tenants": ["vision"]}, "PLATFORM"),
        (RECORDS, {"unassigned": True}, "PLATFORM"),
        (PODS, {"busy": True}, "KUBERNETES"),
        (PODS, {"busy": False}, "KUBERNETES"),
        (SLURM_JOBS, {"busy": False}, "SLURM"),
        (SLURM_NODES, {"healthy": True}, "SLURM"),
        (SLURM_NODES, {"gpuTypes": [H100]}, "SLURM"),
        (NODES, {"cordoned": False}, "KUBERNETES"),
    ],
)
def test_a_filter_on_a_silent_system_is_that_systems_error(silent, wanted, system):
    keeper = a_keeper(
        nodes=[a_node("a")],
        slurm_nodes=[a_slurm_node("b")],
        records=some_records(nodes=[a_record("b", target=Target.SLURM)]),
    )
    keeper.touch(silent, NEVER)

    answer = Gateway(keeper).ask(QUERY, filter=wanted)

    assert answer["data"] == {"cluster": {"nodes": None}}
    (error,) = answer["errors"]
    assert (error["extensions"]["code"], error["extensions"]["system"]) == ("SOURCE_UNAVAILABLE", system)


def test_a_silent_system_that_decides_nothing_hides_nothing():
    """Jobs are not told of; the only machine that they could hold is left out by its name."""
    keeper = a_keeper(nodes=[a_node("a")], pods=[a_pod("x", "a")], slurm_nodes=[a_slurm_node("b")])
    keeper.touch(SLURM_JOBS, NEVER)

    assert found(keeper, names=["a"], busy=True) == ["a"]
    assert refusal(keeper, names=["b"], busy=True)["extensions"]["system"] == "SLURM"


def test_what_becomes_known_is_found():
    keeper = a_keeper(nodes=[a_node("a", ready=UNSURE)])
    assert (found(keeper, healthy=True), found(keeper, healthy=False)) == ([], [])

    keeper.change(NODES, {"a": a_node("a")}, FRESH)

    assert found(keeper, healthy=True) == ["a"]
