import pytest

from gateway.fleet.reclaim.missing import missing_from_deserved
from gateway.fleet.unknown import Unknown
from tests.builders import CLUSTER
from tests.fleets import NEVER, POD_GROUPS, PODS
from tests.scheduling import DISK, GPU, Scene, quantities


def missing(scene, queue="prod"):
    fleet = scene.fleet()
    return missing_from_deserved(fleet.queue(CLUSTER, queue), fleet)


def test_finds_what_waiting_and_running_work_asks():
    scene = Scene().queue("prod", {"cpu": 8}).waits("prod", {"cpu": 4, DISK: "10Gi"})
    assert missing(scene.runs("prod", 1, {"cpu": 4, GPU: 1})) == (DISK, GPU)


def test_finds_what_is_asked_for_pods_that_are_not_there_yet_counts_and_quotas_left_out():
    least = {"cpu": 8, "requests.cpu": 8, "limits.memory": 1, "count/pods": 2, "pods": 2, GPU: 4, DISK: 0}
    assert missing(Scene().queue("prod").promises("prod", least)) == ("cpu", GPU)


def test_finds_what_is_held_by_pods_that_nobody_told_of():
    allocated = quantities({"cpu": "4", "memory": "0", "pods": "2", GPU: "0", "rdma/hca": "1"})
    assert missing(Scene().queue("prod", {"cpu": 8}, allocated=allocated)) == ("rdma/hca",)


@pytest.mark.parametrize(
    ("deserved", "guarantee", "lacking"),
    [
        (None, None, ("cpu", "memory", GPU)),
        ({}, None, ("cpu", "memory", GPU)),
        ({"cpu": 0, "memory": "0", GPU: 0}, None, ("cpu", "memory")),
        ({"cpu": 0}, {"cpu": 1, "memory": "1Gi", GPU: 0}, ()),
        ({"cpu": "lots", "memory": "lots", GPU: "lots"}, None, ()),
    ],
)
def test_what_counts_as_listed(deserved, guarantee, lacking):
    scene = Scene().queue("prod", deserved, guarantee=guarantee)
    assert missing(scene.waits("prod", {"cpu": 1, "memory": "1Gi", GPU: 1})) == lacking


def test_the_sums_of_a_parent_are_not_its_own_work():
    held = quantities({"cpu": "8", GPU: "4"})
    scene = Scene().queue("root", allocated=held, parent_name=None).queue("team", allocated=held)
    scene.queue("prod", {"cpu": 8}, parent_name="team").runs("prod", 1, {"cpu": 8, GPU: 4})
    assert {name: missing(scene, name) for name in ("root", "team", "prod")} == {
        "root": (),
        "team": (),
        "prod": (GPU,),
    }


def test_a_queue_without_work_lacks_nothing():
    assert missing(Scene().queue("prod")) == ()


@pytest.mark.parametrize("listing", [PODS, POD_GROUPS])
def test_while_the_work_is_not_known_nothing_is_said(listing):
    keeper = Scene().queue("prod").runs("prod", 1, {"cpu": 1}).keeper()
    keeper.touch(listing, NEVER)
    fleet = keeper.pin()
    found = missing_from_deserved(fleet.queue(CLUSTER, "prod"), fleet)
    assert isinstance(found, Unknown)
    assert found.system is listing.system
