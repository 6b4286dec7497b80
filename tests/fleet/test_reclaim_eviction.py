import pytest

from tests.fleet.test_reclaim_played import ALL, ASK, GPUS, SWEEP, full, is_taken, without
from tests.scheduling import DISK, GPU, Scene, a_scheduler


@pytest.mark.parametrize(
    ("asker", "taken"), [(GPUS, True), ({"rdma/hca": 1}, True), ({}, False), ({GPU: 0}, False)]
)
def test_in_1_9_a_queue_may_ask_while_it_holds_less_than_deserved_of_anything(asker, taken):
    assert is_taken(full(asker, ALL).fleet(a_scheduler("v1.9.0"))) is taken


@pytest.mark.parametrize(
    ("release", "taken"), [("v1.9.0", False), ("v1.11.0", False), ("v1.11.1", True), ("v1.14.0", True)]
)
def test_to_1_11_0_a_queue_that_holds_less_than_what_is_asked_gives_nothing(release, taken):
    scene = Scene().queue("prod", {**ALL, GPU: 20}).queue("batch", ALL)
    scene.runs("batch", 4, {**SWEEP, GPU: 4}).waits("prod", {**ASK, GPU: 17})
    assert is_taken(scene.fleet(a_scheduler(release))) is taken


@pytest.mark.parametrize(("state", "taken"), [("Open", True), ("Closed", False), (None, False)])
def test_from_1_15_only_an_open_queue_may_ask(state, taken):
    scene = (
        Scene().queue("prod", ALL, state=state).queue("batch", ALL).runs("batch", 4, SWEEP).waits("prod", ASK)
    )
    assert is_taken(scene.fleet(a_scheduler("v1.15.0"))) is taken
    assert is_taken(scene.fleet(a_scheduler("v1.14.2"))) is True


def test_from_1_15_all_that_is_asked_must_be_below_the_ceiling():
    scene = Scene().queue("prod", ALL, capability={GPU: 1}).queue("batch", ALL)
    scene.runs("batch", 4, SWEEP).waits("prod", ASK)
    assert is_taken(scene.fleet(a_scheduler("v1.15.0"))) is False
    assert is_taken(scene.fleet(a_scheduler("v1.14.2"))) is True


def test_from_1_14_pods_that_share_nothing_with_what_is_asked_stay():
    scene = Scene().queue("prod", {DISK: "1Ti"}).queue("batch", without(DISK))
    scene.runs("batch", 8, without(DISK, SWEEP)).waits("prod", {DISK: "10Gi"})
    assert is_taken(scene.fleet(a_scheduler("v1.14.0"))) is False
    assert is_taken(scene.fleet(a_scheduler("v1.13.3"))) is True


def test_members_to_spare_are_taken_before_guarantees_are_asked():
    scene = Scene().queue("prod", ALL).queue("batch", {GPU: 16}, guarantee={GPU: 16})
    scene.runs("batch", 4, SWEEP, need=1).waits("prod", ASK)
    assert is_taken(scene.fleet(a_scheduler())) is True
