from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.reclaim.reclaim import reclaim
from gateway.fleet.scheduler import Release, SharePlugin, release_of
from gateway.fleet.unknown import Unknown, undetermined
from tests.builders import CLUSTER
from tests.fleets import NEVER
from tests.scheduling import GPU, SCHEDULER, SLICE, Scene, a_config, a_scheduler

OPEN = undetermined(System.QUEUES, "the tag latest names no release")
NO_CONFIG = undetermined(System.QUEUES, "ConfigMap volcano-system/c cannot be read")
NOTHING = "Nothing that deserved lists or lacks stands in the way."


def judged(scene, scheduler=None, queue="prod"):
    fleet = scene.fleet(scheduler)
    return reclaim(fleet.queue(CLUSTER, queue), fleet)


def asking(deserved, **asks):
    return Scene().queue("prod", deserved).waits("prod", {"cpu": 4, GPU: 2, **asks})


def holding(deserved, asks, **more):
    return Scene().queue("prod", deserved, **more).runs("prod", 2, asks)


@pytest.mark.parametrize(
    ("image", "release"),
    [
        ("volcanosh/vc-scheduler:v1.13.3", Release(1, 13, 3)),
        ("registry.example.com:5000/a/vc-scheduler:1.9", Release(1, 9)),
        ("vc-scheduler:v1.14.0-alpha.1@sha256:00", Release(1, 14)),
        ("vc-scheduler:v1.12.1-site.7", Release(1, 12, 1)),
        ("vc-scheduler:latest", None),
        ("registry.example.com:5000/vc-scheduler", None),
        ("vc-scheduler@sha256:1.2.3", None),
        ("vc-scheduler:1.13.3.4", None),
    ],
)
def test_the_tag_of_the_image_names_the_release(image, release):
    assert release_of(image) == release


@pytest.mark.parametrize(
    ("release", "blocked"),
    [
        ("v1.9.0", ()),
        ("v1.10.0", ("cpu", GPU)),
        ("v1.11.0", ("cpu", GPU)),
        ("v1.12.2", ("cpu", GPU)),
        ("v1.13.0", ("cpu", GPU)),
        ("v1.13.1", ()),
        ("v1.14.0", ()),
        ("v1.15.3", ()),
        ("v2.0.0", ()),
    ],
)
def test_each_release_reads_a_missing_key_of_who_asks_in_its_own_way(release, blocked):
    assert judged(asking({GPU: 8}), a_scheduler(release)).blocked_as_asker == blocked


@pytest.mark.parametrize(
    ("release", "blocked"), [("v1.9.0", (SLICE,)), ("v1.13.3", (SLICE,)), ("v1.14.0", (SLICE,))]
)
def test_a_device_that_is_not_listed_beside_cpu_and_memory_is_not_given_back(release, blocked):
    scene = holding({"cpu": 64, "memory": "512Gi"}, {"cpu": 8, "memory": "64Gi", SLICE: 7})
    assert judged(scene, a_scheduler(release)).blocked_as_holder == blocked


@pytest.mark.parametrize(
    ("release", "why"),
    [
        (
            "v1.13.3",
            "Pods that hold cpu, memory, {} may be taken at any time, since deserved lacks cpu, memory.",
        ),
        ("v1.14.0", "What it holds of cpu, memory does not count, since deserved lacks it"),
    ],
)
def test_without_cpu_and_memory_everything_or_nothing_of_them_is_given_back(release, why):
    scene = holding({GPU: 8}, {"cpu": 8, "memory": "64Gi", GPU: 4})
    assert why.format(GPU) in judged(scene, a_scheduler(release)).explanation


def test_a_listed_device_of_which_nothing_is_held_counted_as_exceeded_to_1_13():
    scene = holding({"cpu": 64, "memory": "512Gi", GPU: 8}, {"cpu": 8, "memory": "64Gi", SLICE: 7})
    found = judged(scene, a_scheduler("v1.13.3"))
    assert found.blocked_as_holder == ()
    assert "since deserved lists nvidia.com/gpu, of which nothing is held." in found.explanation


def test_pods_of_which_nothing_is_deserved_may_be_taken_at_any_time():
    found = judged(holding({}, {"cpu": 8, GPU: 4}), a_scheduler("v1.14.2"))
    assert found.blocked_as_holder == ()
    assert "Pods that hold cpu, nvidia.com/gpu may be taken at any time" in found.explanation


def test_a_place_among_the_pods_that_is_deserved_keeps_all_else():
    found = judged(holding({"pods": 10}, {"cpu": 8, GPU: 4}), a_scheduler("v1.14.2"))
    assert found.blocked_as_holder == ("cpu", GPU)


@pytest.mark.parametrize(
    ("deserved", "guarantee", "blocked"),
    [
        ({"cpu": 0, GPU: 8}, None, ("cpu", GPU)),
        ({"cpu": 8, GPU: 0}, None, ()),
        ({GPU: 8}, {"cpu": 2}, ()),
    ],
    ids=["cpu with 0 is missing", "a device with 0 is listed", "a key of guarantee is listed"],
)
def test_what_counts_as_listed(deserved, guarantee, blocked):
    scene = Scene().queue("prod", deserved, guarantee=guarantee).waits("prod", {"cpu": 4, GPU: 2})
    assert judged(scene, a_scheduler("v1.13.0")).blocked_as_asker == blocked


def test_a_queue_that_is_not_reclaimable_keeps_all_and_that_is_said():
    scene = holding({"cpu": 8, GPU: 8}, {"cpu": 8, GPU: 4}, reclaimable=False)
    found = judged(scene, a_scheduler())
    assert found.blocked_as_holder == ("cpu", GPU)
    assert "Nothing of it is taken back, since reclaimable is false." in found.explanation


def test_pods_that_must_stay_anyway_say_nothing_of_deserved():
    scene = Scene().queue("prod", {"cpu": 8}).runs("prod", 1, {"cpu": 4, GPU: 1}, preemptable=False)
    scene.runs("prod", 1, {"cpu": 4, SLICE: 1}, priority_class="system-cluster-critical")
    assert judged(scene, a_scheduler()).blocked_as_holder == ()


def test_a_used_up_share_is_told_and_blocks_nothing():
    scene = holding({"cpu": 64, GPU: 8}, {"cpu": 8, GPU: 4}).waits("prod", {"cpu": 8, GPU: 4})
    found = judged(scene, a_scheduler("v1.13.0"))
    assert found.blocked_as_asker == ()
    assert "Its share of nvidia.com/gpu is used up." in found.explanation


def test_a_group_without_pods_asks_for_its_least_resources():
    scene = Scene().queue("prod", {GPU: 8}).promises("prod", {"cpu": 8, "requests.cpu": 8, "pods": 2, GPU: 4})
    assert judged(scene, a_scheduler("v1.13.0")).blocked_as_asker == ("cpu", GPU)


def test_without_the_action_nothing_is_ever_taken_back():
    scene = asking({"cpu": 64, GPU: 8}).runs("prod", 1, {"cpu": 1})
    found = judged(scene, a_scheduler(config=a_config(actions=("enqueue", "allocate"))))
    assert found.blocked_as_asker == ("cpu", GPU)
    assert found.blocked_as_holder == ("cpu",)
    assert found.explanation == (
        "Nothing is ever taken back: reclaim is not among the scheduler's actions (enqueue, allocate)."
    )


@pytest.mark.parametrize(
    ("plugin", "said"),
    [
        (SharePlugin.PROPORTION, "deserved is not read"),
        (None, "No plugin holds queues to shares, so deserved is not read."),
    ],
)
def test_where_deserved_is_not_read_nothing_that_it_lacks_blocks(plugin, said):
    found = judged(asking({GPU: 8}), a_scheduler("v1.13.0", a_config(share_plugin=plugin)))
    assert (found.blocked_as_asker, found.blocked_as_holder) == ((), ())
    assert said in found.explanation


def test_of_an_unknown_release_what_every_reading_says_is_told_and_each_is_explained():
    found = judged(asking({GPU: 8}), a_scheduler(OPEN))
    assert found.scheduler == OPEN
    assert isinstance(found.blocked_as_asker, Unknown)
    assert found.blocked_as_holder == ()
    assert found.explanation == (
        "It is not known which release runs (the tag latest names no release). "
        f"In v1.9, v1.13.1 to v1.13.3, v1.14, v1.15 and later: {NOTHING} "
        "In v1.10.0 to v1.11.0, v1.11.1 to v1.13.0: "
        "Pods that ask cpu, nvidia.com/gpu take nothing back, since deserved lacks cpu."
    )
    assert (
        found.blocked_as_asker.reason
        == "It is not known which release runs (the tag latest names no release)"
    )


def test_of_an_unknown_configuration_nothing_is_certain():
    found = judged(asking({GPU: 8}), a_scheduler("v1.13.0", NO_CONFIG))
    assert found.scheduler == "Volcano v1.13.0"
    assert isinstance(found.blocked_as_asker, Unknown)
    assert isinstance(found.blocked_as_holder, Unknown)
    assert "how the scheduler is configured (ConfigMap volcano-system/c cannot be read)" in found.explanation
    assert "What follows holds if reclaim is among its actions." in found.explanation
    assert f"In plugin proportion: {NOTHING}" in found.explanation


@pytest.mark.parametrize(
    ("scheduler", "doubt"),
    [
        (a_scheduler("v1.8.2"), "what the plugin capacity does in v1.8.2: it came with v1.9"),
        (
            a_scheduler(config=a_config(actions=("enqueue", "gangreclaim"))),
            "what the action gangreclaim takes back",
        ),
    ],
)
def test_what_has_no_reading_is_not_guessed(scheduler, doubt):
    found = judged(asking({GPU: 8}), scheduler)
    assert isinstance(found.blocked_as_asker, Unknown)
    assert found.explanation == f"It is not known {doubt}."


def test_two_plugins_of_shares_are_two_readings():
    both = undetermined(System.QUEUES, "c names capacity and proportion")
    found = judged(asking({GPU: 8}), a_scheduler("v1.13.0", a_config(share_plugin=both)))
    assert isinstance(found.blocked_as_asker, Unknown)
    assert "which plugin holds queues to shares (c names capacity and proportion)" in found.explanation


def test_a_scheduler_that_is_not_there_and_one_that_is_silent_are_told_apart():
    scene = asking({GPU: 8})
    assert judged(scene).scheduler.reason == "no Deployment has the label app=volcano-scheduler"
    keeper = scene.keeper(a_scheduler())
    keeper.touch(SCHEDULER, NEVER)
    fleet = keeper.pin()
    assert reclaim(fleet.queue(CLUSTER, "prod"), fleet).scheduler.is_silence


def test_an_amount_that_cannot_be_read_leaves_it_open():
    scene = Scene().queue("prod", {GPU: "eight"}).waits("prod", {GPU: 1})
    found = judged(scene, a_scheduler())
    assert isinstance(found, Unknown)
    assert "'eight'" in found.reason


def test_a_request_that_cannot_be_read_leaves_it_open():
    odd = undetermined(System.KUBERNETES, "cpu: 'lots' is not a Kubernetes quantity")
    scene = asking({GPU: 8})
    scene.pods[0] = replace(scene.pods[0], requests=scene.pods[0].requests.set("cpu", odd))
    assert judged(scene, a_scheduler()) == odd


def test_a_queue_that_never_told_what_is_allocated_leaves_it_open():
    keeper = asking({GPU: 8}).keeper(a_scheduler())
    fleet = keeper.pin()
    mute = replace(fleet.queue(CLUSTER, "prod"), allocated=None)
    assert reclaim(mute, fleet).reason == "queue prod does not say what is allocated"


def test_a_ceiling_below_what_is_deserved_lowers_it_but_with_hierarchy():
    scene = Scene().queue("prod", {"cpu": 8}, capability={"cpu": 2}).runs("prod", 1, {"cpu": 2})
    flat, deep = (
        judged(scene, a_scheduler(config=a_config(hierarchy=hierarchy))).explanation
        for hierarchy in (False, True)
    )
    assert "Its share of cpu is used up." in flat
    assert "used up" not in deep
