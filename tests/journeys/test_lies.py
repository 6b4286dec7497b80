"""The six lies of the demo's fleet: each number that they touch is right, or unknown with its reason."""

from pathlib import Path

import pytest

from gateway.fleet.clock import utc_now
from gateway.simulator.scenario.demo import demo_fleet
from tests.asking import Gateway
from tests.journeys.fleets import Still, read_world

EVERYTHING = (Path(__file__).parent / "everything.graphql").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
async def demo():
    """A gateway that has read the demo's fleet."""
    return Gateway(Still(await read_world(demo_fleet(utc_now))))


def node(demo, name, asked):
    return demo.data(f'{{ node(cluster: "fleet", name: "{name}") {{ {asked} }} }}')["node"]


def test_everything_can_be_asked_at_once_and_nothing_is_an_error(demo):
    data = demo.data(EVERYTHING)

    assert len(data["clusters"][0]["nodes"]["nodes"]) == data["clusters"][0]["nodes"]["totalCount"] > 30
    assert {one["state"] for one in data["sources"]} <= {"FRESH", "ABSENT"}


def test_a_record_that_outlived_its_node_adds_no_cards(demo):
    gone = node(
        demo, "gpu-t4-09", "knownTo tenant { name } gpus { cards } costPerHour { amount } unknowns { field }"
    )

    assert gone == {
        "knownTo": ["PLATFORM"],
        "tenant": {"name": "robotics"},
        "gpus": None,
        "costPerHour": None,
        "unknowns": [],
    }


def test_a_machine_is_busy_whichever_scheduler_keeps_it_so(demo):
    asked = "target busy slurm { states } workloads { __typename }"

    by_kubernetes, by_slurm = node(demo, "gpu-h100-11", asked), node(demo, "gpu-h100-08", asked)

    assert by_kubernetes["busy"] is by_slurm["busy"] is True
    assert by_kubernetes["slurm"]["states"] == ["IDLE"]
    assert {one["__typename"] for one in by_kubernetes["workloads"]} == {"Pod"}
    assert {one["__typename"] for one in by_slurm["workloads"]} == {"SlurmJob"}


def test_bytes_of_gpus_are_no_use_of_a_workspace(demo):
    asked = """{ workspace(tenant: "language", name: "serving") {
      queue { allocated { resource text } } allocations { used unknowns { field reason } }
    } }"""

    workspace = demo.data(asked)["workspace"]

    assert {"resource": "nvidia.com/gpu", "text": "13Gi"} in workspace["queue"]["allocated"]
    (given,) = workspace["allocations"]
    assert given["used"] is None
    assert "13Gi" in given["unknowns"][0]["reason"]


def test_slices_and_shares_are_no_cards(demo):
    asked = "gpus { cards resources { unit capacity } }"

    sliced, shared = node(demo, "gpu-a100-08", asked)["gpus"], node(demo, "gpu-t4-03", asked)["gpus"]

    assert (sliced["cards"], sliced["resources"]) == (2, [{"unit": "SLICE", "capacity": 4}])
    assert (shared["cards"], shared["resources"]) == (2, [{"unit": "SHARE", "capacity": 4}])


def test_a_machine_that_is_ready_and_offers_nothing_is_not_healthy(demo):
    asked = "ready gpus { cards } health { healthy usableCards expectedCards reasons { code } }"

    empty = node(demo, "gpu-h200-04", asked)

    assert (empty["ready"], empty["gpus"]["cards"]) == (True, 8)
    assert empty["health"] == {
        "healthy": False,
        "usableCards": 0,
        "expectedCards": 8,
        "reasons": [{"code": "DEVICE_PLUGIN_CRASHING"}, {"code": "NO_CAPACITY"}],
    }


def test_a_tenant_is_shown_the_types_of_its_machines_and_not_of_its_records(demo):
    lines = demo.data('{ tenant(name: "search") { capacity { gpuType { name } physical allocated } } }')[
        "tenant"
    ]["capacity"]

    by_type = {line["gpuType"]["name"]: line for line in lines}
    assert by_type["H100-80GB"]["physical"] == 0
    assert by_type["H100-80GB"]["allocated"] > 0
    assert by_type["T4-16GB"]["physical"] > 0


def test_each_kind_of_alert_is_shown_about_what_is_wrong(demo):
    asked = "{ alerts(first: 100) { nodes { kind subjectName } } }"

    found = {(one["kind"], one["subjectName"]) for one in demo.data(asked)["alerts"]["nodes"]}

    assert found == {
        ("ORPHANED_RECORD", "gpu-t4-09"),
        ("TARGET_CONFLICT", "gpu-h100-08"),
        ("TARGET_CONFLICT", "gpu-h100-11"),
        ("SKIPPED_SYNC", "gpu-t4-07"),
        ("SLICES_COUNTED_AS_CARDS", "gpu-a100-08"),
        ("SLICES_COUNTED_AS_CARDS", "gpu-t4-03"),
        ("READY_WITHOUT_CAPACITY", "gpu-h200-04"),
        ("TYPE_NOT_ALLOCATED", "gpu-t4-02"),
        ("TYPE_NOT_ALLOCATED", "search/ranking H100-80GB"),
        ("DESERVED_INCOMPLETE", "robotics-perception"),
        ("DESERVED_INCOMPLETE", "vision-evaluation"),
        ("OVER_ALLOCATED", "fleet H200-141GB"),
        ("OVER_ALLOCATED", "language in fleet H200-141GB"),
        ("UNMANAGED_NODE", "gpu-t4-07"),
        ("CARDS_LOST", "gpu-h100-05"),
        ("PROFILE_DRIFT", "gpu-a100-06"),
        ("FOREIGN_CORDON", "gpu-h100-12"),
        ("FOREIGN_CORDON", "gpu-a100-04"),
        ("USAGE_DRIFT", "search-canary"),
        ("QUOTA_WITHOUT_EFFECT", "vision-labeling/gpus"),
        ("GPU_QUOTA_HIGH", "robotics-notebooks/unlimited"),
        ("IMPLAUSIBLE_COUNT", "language-serving"),
        ("GPUS_EXHAUSTED", "fleet T4-16GB"),
        # Nobody carries out here what the records ask for.
        ("RECONCILE_STUCK", "gpu-a100-05"),
        ("RECONCILE_STUCK", "gpu-t4-06"),
    }
