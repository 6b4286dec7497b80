import pytest

from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.platform import Target
from tests.asking import Gateway
from tests.builders import (
    NOON,
    a_job,
    a_node,
    a_pod,
    a_pod_group,
    a_queue,
    a_record,
    a_slurm_node,
    a_workspace,
    some_records,
)
from tests.fleets import a_keeper
from tests.gpu_labels import A100, GPU, H100, T4, mixed, shared, whole

SLICE = "nvidia.com/mig-1g.10gb"
HALF = "nvidia.com/mig-3g.40gb"


@pytest.fixture
def gateway():
    return Gateway(
        a_keeper(
            nodes=[
                a_node("cpu", {}, {}),
                a_node("cut", mixed(2), {GPU: 0, SLICE: 7, HALF: 2}),
                a_node("shared", shared(1, 4), {GPU: 4}),
                a_node("whole", whole()),
            ],
            pods=[
                a_pod("cut-0", "cut", {SLICE: 2}, namespace="training"),
                a_pod("idle", None, {GPU: 1}, namespace="guests", phase="Pending"),
                a_pod("web", "whole", {}, namespace="training"),
                a_pod("whole-0", "whole", {GPU: 3}, namespace="training", group="gang"),
            ],
            records=some_records(
                nodes=[a_record("whole"), a_record("cut", tenant="speech"), a_record("free", tenant=None)],
                workspaces=[a_workspace(queue="training")],
            ),
            slurm_nodes=[a_slurm_node("island")],
            jobs=[
                a_job("100", {"island": 1}),
                a_job("20", {"island": 2}),
                a_job("3", {"island": 1}, "COMPLETED"),
            ],
            queues=[a_queue("training"), a_queue("root", parent=None), a_queue("other")],
            pod_groups=[a_pod_group("gang", "training")],
        )
    )


def of_cluster(gateway, asked, **variables):
    head = (
        f"query ({', '.join(f'${name}: {kind}' for name, (kind, _) in variables.items())}) "
        if variables
        else ""
    )
    values = {name: value for name, (_, value) in variables.items()}
    return gateway.data(f'{head}{{ cluster(name: "fleet") {{ {asked} }} }}', **values)["cluster"]


def nodes(gateway, **wanted):
    asked = "nodes(filter: $filter) { nodes { name } }"
    return [
        one["name"] for one in of_cluster(gateway, asked, filter=("NodeFilter", wanted))["nodes"]["nodes"]
    ]


def pods(gateway, **wanted):
    asked = "pods(filter: $filter) { nodes { name } }"
    return [one["name"] for one in of_cluster(gateway, asked, filter=("PodFilter", wanted))["pods"]["nodes"]]


def test_nodes_without_gpus_are_left_out_unless_they_are_asked_for(gateway):
    assert nodes(gateway) == ["cut", "free", "island", "shared", "whole"]
    assert nodes(gateway, includeNonGpu=True) == ["cpu", "cut", "free", "island", "shared", "whole"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"names": ["whole", "cut", "nobody"]}, ["cut", "whole"]),
        ({"names": []}, []),
        ({"targets": ["KUBERNETES"]}, ["cut", "free", "whole"]),
        ({"targets": ["SLURM"]}, []),
        ({"tenants": ["vision"]}, ["whole"]),
        ({"tenants": ["vision", "speech"]}, ["cut", "whole"]),
        ({"unassigned": True}, ["free", "island", "shared"]),
        ({"gpuTypes": [A100, T4]}, ["cut", "shared"]),
        ({"gpuTypes": [H100]}, ["island", "whole"]),
        ({"gpuTypes": [H100], "tenants": ["speech"]}, []),
        ({"names": None, "tenants": None}, ["cut", "free", "island", "shared", "whole"]),
    ],
)
def test_conditions_on_nodes_hold_together_and_entries_of_one_are_alternatives(gateway, wanted, found):
    assert nodes(gateway, **wanted) == found


def test_pods_that_ask_for_no_gpus_are_left_out_unless_they_are_asked_for(gateway):
    assert pods(gateway) == ["idle", "cut-0", "whole-0"]
    assert pods(gateway, includeNonGpu=True) == ["idle", "cut-0", "web", "whole-0"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"namespaces": ["guests"]}, ["idle"]),
        ({"names": ["whole-0", "idle"]}, ["idle", "whole-0"]),
        ({"states": ["RUNNING"]}, ["idle", "cut-0", "whole-0"]),
        ({"states": ["FAILED"]}, []),
        ({"workspace": {"tenant": "vision", "name": "training"}}, ["cut-0", "whole-0"]),
        ({"workspace": {"tenant": "vision", "name": "nothing"}}, []),
        ({"queue": "training"}, ["whole-0"]),
        ({"queue": "other"}, []),
    ],
)
def test_conditions_on_pods(gateway, wanted, found):
    assert pods(gateway, **wanted) == found


def test_slices_are_groups_of_one_machine_and_profile(gateway):
    asked = (
        "migSlices { totalCount nodes { resourceName slices requested free node { name } pods { name } } }"
    )

    found = of_cluster(gateway, asked)["migSlices"]

    assert found["totalCount"] == 2
    assert found["nodes"] == [
        {
            "resourceName": SLICE,
            "slices": 7,
            "requested": 2,
            "free": 5,
            "node": {"name": "cut"},
            "pods": [{"name": "cut-0"}],
        },
        {"resourceName": HALF, "slices": 2, "requested": 0, "free": 2, "node": {"name": "cut"}, "pods": []},
    ]


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ({"profiles": ["1g.10gb"]}, 1),
        ({"nodes": ["cut"]}, 2),
        ({"nodes": ["whole"]}, 0),
        ({"tenants": ["speech"]}, 2),
        ({"tenants": ["vision"]}, 0),
    ],
)
def test_conditions_on_slices(gateway, wanted, count):
    found = of_cluster(
        gateway, "migSlices(filter: $filter) { totalCount }", filter=("MigSliceFilter", wanted)
    )

    assert found["migSlices"]["totalCount"] == count


def test_queues_are_sorted_by_name(gateway):
    found = of_cluster(gateway, "queues { name parent { name } }")["queues"]

    assert [one["name"] for one in found] == ["other", "root", "training"]
    assert [one["parent"] for one in found] == [{"name": "root"}, None, {"name": "root"}]


def jobs(gateway, **wanted):
    asked = "slurmJobs(filter: $filter) { nodes { jobId } }"
    found = of_cluster(gateway, asked, filter=("SlurmJobFilter", wanted))
    return [one["jobId"] for one in found["slurmJobs"]["nodes"]]


def test_jobs_are_ordered_by_number_and_chosen_by_user_and_partition(gateway):
    assert jobs(gateway) == ["3", "20", "100"]
    assert jobs(gateway, user="ada", partition="gpu", states=["RUNNING"]) == ["3", "20", "100"]
    assert jobs(gateway, user="bob") == []
    assert jobs(gateway, partition="cpu") == []
    assert jobs(gateway, states=["FAILED"]) == []


def test_a_cluster_without_slurm_has_no_jobs_and_nothing_is_silent():
    keeper = FleetKeeper(["fleet"], {}, lambda: NOON)

    assert of_cluster(Gateway(keeper), "slurmJobs { totalCount }")["slurmJobs"] is None


def test_gpu_types_are_those_of_its_machines(gateway):
    assert of_cluster(gateway, "gpuTypes { name }")["gpuTypes"] == [
        {"name": A100},
        {"name": H100},
        {"name": T4},
    ]


def lines(gateway, **wanted):
    asked = "capacity(filter: $filter) { gpuType { name } target physical allocated }"
    found = of_cluster(gateway, asked, filter=("CapacityFilter", wanted))["capacity"]
    return [(one["gpuType"]["name"], one["target"], one["physical"], one["allocated"]) for one in found]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (
            {},
            [
                (A100, "KUBERNETES", 2, 0),
                (H100, "KUBERNETES", 8, 4),
                (H100, None, 8, None),
                (T4, None, 1, None),
            ],
        ),
        ({"gpuTypes": [T4]}, [(T4, None, 1, None)]),
        ({"targets": ["KUBERNETES"]}, [(A100, "KUBERNETES", 2, 0), (H100, "KUBERNETES", 8, 4)]),
        ({"tenants": ["speech"]}, [(A100, "KUBERNETES", 2, 0)]),
        ({"tenants": ["vision"]}, [(H100, "KUBERNETES", 8, 4)]),
        ({"unassigned": True}, [(H100, None, 8, None), (T4, None, 1, None)]),
    ],
)
def test_lines_of_the_account_are_chosen(gateway, wanted, found):
    assert lines(gateway, **wanted) == found


def test_a_record_with_another_target_moves_the_machine_to_its_line():
    keeper = a_keeper(
        nodes=[a_node("gpu-01")],
        slurm_nodes=[a_slurm_node("gpu-01")],
        records=some_records(nodes=[a_record("gpu-01", Target.SLURM)]),
    )

    assert lines(Gateway(keeper)) == [(H100, "SLURM", 8, 0)]
