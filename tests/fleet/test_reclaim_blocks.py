import pytest

from gateway.errors import System
from gateway.fleet.reclaim.blocks import Block, Side, blocks
from gateway.fleet.scheduler import SharePlugin
from gateway.fleet.unknown import undetermined
from tests.builders import CLUSTER
from tests.fleets import NEVER, QUEUES
from tests.scheduling import GPU, SLICE, Scene, a_config, a_scheduler

OPEN = undetermined(System.QUEUES, "not known")
SLICES = {"cpu": 8, SLICE: 7}


def found(scene, scheduler):
    return blocks(CLUSTER, scene.fleet(scheduler))


def now(scene, scheduler, queue):
    """Whether the one block of a queue stands in the way of work that waits."""
    (block,) = found(scene, scheduler)[queue]
    return block.is_asked_now


def asking(deserved, asks=None, **more):
    return Scene().queue("prod", deserved).waits("prod", asks or {"cpu": 4, GPU: 2}, **more)


def holding(ask=None, **more):
    """`batch` holds slices that its deserved does not list."""
    scene = Scene().queue("prod", {"cpu": 8, SLICE: 7}).queue("batch", {"cpu": 64, GPU: 8}, **more)
    return scene.runs("batch", 2, SLICES).waits("prod", ask or {"cpu": 4, SLICE: 2})


OLD, NEW = a_scheduler("v1.13.0"), a_scheduler("v1.14.2")


def test_a_share_that_waiting_work_cannot_take_back_is_blocked_now():
    assert found(asking({GPU: 8}), OLD) == {
        "prod": (Block(side=Side.ASKER, resources=(GPU,), missing=("cpu",), is_asked_now=True),)
    }


@pytest.mark.parametrize(
    "scene",
    [
        asking({GPU: 1}),
        asking({GPU: 8}, phase="Pending"),
        asking({GPU: 8}, gated=True),
        asking({GPU: 8}, preempts=False),
        asking({GPU: 8}, terminating=True),
        Scene().queue("prod", {GPU: 8}).runs("prod", 1, {"cpu": 4, GPU: 2}),
    ],
    ids=["its share is too small", "not admitted", "gated", "takes from nobody", "goes", "runs already"],
)
def test_a_share_that_nothing_takes_back_now_would_be_blocked(scene):
    assert now(scene, OLD, "prod") is False


@pytest.mark.parametrize("deserved", [None, {}, {"cpu": 0}, {SLICE: 7}])
def test_where_nothing_of_what_is_asked_is_deserved_no_share_is_blocked(deserved):
    assert found(asking(deserved), OLD) == {}


def test_what_others_wait_for_and_is_not_given_back_is_blocked_now():
    assert found(holding(), NEW) == {
        "batch": (Block(side=Side.HOLDER, resources=(SLICE,), missing=(SLICE,), is_asked_now=True),)
    }


@pytest.mark.parametrize(
    "scene",
    [
        holding({"cpu": 4, GPU: 1}),
        holding({"cpu": 16, SLICE: 8}),
        holding(guarantee={"cpu": 16}),
        Scene().queue("batch", {"cpu": 64}).runs("batch", 2, SLICES).waits("batch", SLICES),
        Scene().queue("batch", {"cpu": 64}).runs("batch", 2, SLICES),
    ],
    ids=[
        "others ask for else",
        "beyond their share",
        "guaranteed anyway",
        "only its own work",
        "nobody asks",
    ],
)
def test_what_nobody_could_take_anyway_would_be_blocked(scene):
    assert now(scene, NEW, "batch") is False


def test_what_is_taken_all_the_same_while_cpu_is_exceeded_would_be_blocked():
    scene = Scene().queue("prod", {"cpu": 8, SLICE: 7}).queue("batch", {"cpu": 8})
    scene.runs("batch", 2, SLICES).waits("prod", {"cpu": 4, SLICE: 2})
    assert now(scene, NEW, "batch") is False


def test_members_to_spare_are_taken_where_gang_decides_first():
    scene = Scene().queue("prod", {"cpu": 8, SLICE: 7}).queue("batch", {"cpu": 64})
    scene.runs("batch", 2, SLICES, need=1).waits("prod", {"cpu": 4, SLICE: 2})
    assert now(scene, NEW, "batch") is False
    assert now(scene, a_scheduler(config=a_config(gang_decides=False)), "batch") is True


@pytest.mark.parametrize(
    "scene",
    [
        holding(reclaimable=False),
        Scene().queue("batch", {"cpu": 64}).runs("batch", 2, SLICES, preemptable=False),
        Scene().queue("batch", {"cpu": 64}).runs("batch", 2, SLICES, namespace="kube-system"),
    ],
    ids=["not reclaimable", "not preemptable", "of the system"],
)
def test_what_is_kept_by_choice_is_not_blocked(scene):
    assert "batch" not in found(scene, NEW)


@pytest.mark.parametrize(
    "scheduler",
    [
        None,
        a_scheduler(OPEN),
        a_scheduler("v1.13.0", OPEN),
        a_scheduler("v1.13.0", a_config(actions=("allocate",))),
        a_scheduler("v1.13.0", a_config(share_plugin=SharePlugin.PROPORTION)),
        a_scheduler("v1.13.0", a_config(share_plugin=None)),
        a_scheduler("v1.8.0"),
    ],
)
def test_only_what_is_certain_is_blocked(scheduler):
    assert found(asking({GPU: 8}), scheduler) == {}


def test_what_every_reading_of_an_unknown_release_blocks_is_certain():
    scene = Scene().queue("batch", {"cpu": 64, "memory": "512Gi"})
    scene.runs("batch", 2, {**SLICES, "memory": "1Gi"})
    (block,) = found(scene, a_scheduler(OPEN))["batch"]
    assert (block.side, block.missing) == (Side.HOLDER, (SLICE,))


def test_a_queue_that_cannot_be_read_costs_only_itself():
    scene = asking({GPU: 8}).queue("odd", {GPU: "eight"}).waits("odd", {"cpu": 1})
    assert found(scene, OLD).keys() == {"prod"}


def test_silent_queues_block_nothing():
    keeper = asking({GPU: 8}).keeper(OLD)
    keeper.touch(QUEUES, NEVER)
    assert blocks(CLUSTER, keeper.pin()) == {}
