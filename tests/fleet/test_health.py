import pytest

from gateway.errors import System
from gateway.fleet.health import takes_work
from gateway.fleet.health_reason import HealthCode
from gateway.fleet.platform import Target
from gateway.fleet.unknown import undetermined
from tests.builders import CLUSTER, NOON, a_node, a_record, a_slurm_node
from tests.fleets import FRESH, PODS, a_keeper, a_machine, silence
from tests.gpu_labels import GPU, SHARED_GPU, mixed, shared, single, whole
from tests.gpu_operator import DISCOVERY, PLUGIN, container, pod_of

MIG = "nvidia.com/mig-"
CHANGING = {"nvidia.com/mig.config": "all-1g.10gb"}


def state(word):
    return whole() | CHANGING | {"nvidia.com/mig.config.state": word}


def upgrade(word):
    return whole() | {"nvidia.com/gpu-driver-upgrade-state": word}


def offering(capacity, allocatable, labels=None):
    return a_node(labels=labels or whole(capacity), capacity={GPU: capacity}, allocatable={GPU: allocatable})


def cut(capacity, allocatable, labels=None):
    return a_node(labels=labels or mixed(8), capacity=capacity, allocatable=allocatable)


C = HealthCode
JUDGED = {
    "all is well": (a_node(), 8, True, []),
    "a cordon is no illness": (a_node(cordoned=True), 8, True, []),
    "a taint is no illness": (a_node(taints=["dedicated"]), 8, True, []),
    "not Ready": (a_node(ready=False), 0, False, [C.NOT_READY]),
    "every device unhealthy": (offering(16, 0), 0, False, [C.DEVICE_PLUGIN_MISSING]),
    "one of three lost": (offering(3, 2), 2, False, [C.CARDS_LOST]),
    "one of eight never comes back": (offering(8, 7), 7, False, [C.CARDS_LOST]),
    "fewer registered than labelled": (offering(7, 7, whole(8)), 7, False, [C.CARDS_LOST]),
    "zero and zero though the labels count": (offering(0, 0, whole(8)), 0, False, [C.NO_CAPACITY]),
    "no key though the labels count": (a_node(capacity={}), 0, False, [C.NO_CAPACITY]),
    "a count of 0 is a node without cards": (offering(0, 0), 0, False, []),
    "MIG change pending": (a_node(labels=state("pending")), 0, False, [C.MIG_CHANGE]),
    "MIG change rebooting": (
        a_node(labels=state("rebooting"), ready=False),
        0,
        False,
        [C.NOT_READY, C.MIG_CHANGE],
    ),
    "MIG change done": (a_node(labels=state("success")), 8, True, []),
    "MIG change failed, the rest is served": (a_node(labels=state("failed")), 8, True, [C.MIG_FAILED]),
    "driver upgrade": (a_node(labels=upgrade("drain-required")), 0, False, [C.DRIVER_UPGRADE]),
    "driver upgrade done": (a_node(labels=upgrade("upgrade-done")), 8, True, []),
    "driver upgrade failed": (a_node(labels=upgrade("upgrade-failed")), 8, True, []),
    "several models": (offering(4, 4, whole(1)), 4, True, [C.LABELS_CONTRADICT]),
    "an unreadable capacity and a good label": (offering("banana", 8, whole(8)), 8, True, []),
    "an unreadable capacity, and one lost": (offering("banana", 7, whole(8)), 7, False, [C.CARDS_LOST]),
    "shares": (offering(32, 32, shared(8, 4)), 8, True, []),
    "shares of a lost card": (offering(32, 28, shared(8, 4)), 7, False, [C.CARDS_LOST]),
    "one lost share is a card": (offering(32, 31, shared(8, 4)), 7, False, [C.CARDS_LOST]),
    "shares of fewer cards than labelled": (offering(28, 28, shared(8, 4)), 7, False, [C.CARDS_LOST]),
    "renamed shares": (a_node(labels=shared(8, 4), capacity={GPU: 0, SHARED_GPU: 32}), 8, True, []),
    "cut cards": (cut({GPU: 4, f"{MIG}1g.10gb": 28}, None), 8, True, []),
    "cut cards alone": (cut({GPU: 0, f"{MIG}1g.10gb": 56}, None), 8, True, []),
    "one slice lost": (
        cut({GPU: 4, f"{MIG}1g.10gb": 28}, {GPU: 4, f"{MIG}1g.10gb": 27}),
        7,
        False,
        [C.CARDS_LOST],
    ),
    "the slices of two cards lost": (
        cut({GPU: 4, f"{MIG}1g.10gb": 28}, {GPU: 4, f"{MIG}1g.10gb": 14}),
        6,
        False,
        [C.CARDS_LOST],
    ),
    "fewer slices than labelled": (
        cut({GPU: 4, f"{MIG}1g.10gb": 21}, None, mixed(8) | {f"{MIG}1g.10gb.count": "28"}),
        7,
        False,
        [C.CARDS_LOST],
    ),
    "fewer slices than labelled, a card each": (
        cut({GPU: 1, f"{MIG}7g.80gb": 5}, None, mixed(8) | {f"{MIG}7g.80gb.count": "7"}),
        6,
        False,
        [C.CARDS_LOST],
    ),
    "a lost slice beside cards that nothing is said of": (
        cut({GPU: 1, f"{MIG}7g.80gb": 5}, {GPU: 1, f"{MIG}7g.80gb": 4}),
        5,
        False,
        [C.CARDS_LOST],
    ),
    "an empty card or a lost one": (cut({GPU: 7}, None), 7, False, [C.CARDS_LOST]),
    "shared slices": (
        cut(
            {GPU: 7, f"{MIG}1g.10gb.shared": 14},
            {GPU: 7, f"{MIG}1g.10gb.shared": 12},
            mixed(8) | {f"{MIG}1g.10gb.count": "7", f"{MIG}1g.10gb.replicas": "2"},
        ),
        7,
        False,
        [C.CARDS_LOST],
    ),
}


@pytest.mark.parametrize(("node", "usable", "healthy", "reasons"), JUDGED.values(), ids=JUDGED.keys())
def test_judges_by_what_kubernetes_says(node, usable, healthy, reasons):
    health = a_machine(node).health

    assert (health.usable_cards, health.healthy) == (usable, healthy)
    assert [reason.code for reason in health.reasons] == reasons


UNREAD = undetermined(System.KUBERNETES, "the node has no readable condition Ready")
UNTOLD = {
    "readiness that nobody told": (a_node(ready=UNREAD), "no readable condition"),
    "cards that nobody can count": (a_node(labels={}), "no label nvidia.com/gpu.count"),
    "an unreadable allocatable": (offering(8, "8 cards", whole(8)), "'8 cards'"),
    "devices that no label names": (
        offering(8, 8, {"nvidia.com/gpu.count": "8"}),
        "no label tells what nvidia.com/gpu counts",
    ),
    "lost shares of unknown size": (
        a_node(labels=shared(8, 0), capacity={GPU: 0, SHARED_GPU: 32}, allocatable={GPU: 0, SHARED_GPU: 31}),
        "how many shares a card gives",
    ),
    "lost slices of which a share is not known": (
        cut({GPU: 7, f"{MIG}1g.10gb.shared": 14}, {GPU: 7, f"{MIG}1g.10gb.shared": 13}),
        "how many shares a slice of nvidia.com/mig-1g.10gb.shared gives",
    ),
    "lost slices whose replicas cannot be read": (
        cut(
            {GPU: 7, f"{MIG}1g.10gb.shared": 14},
            {GPU: 7, f"{MIG}1g.10gb.shared": 13},
            mixed(8) | {f"{MIG}1g.10gb.replicas": "two"},
        ),
        "'two'",
    ),
    "unreadable slices": (cut({GPU: 7, f"{MIG}1g.10gb": "7 slices"}, None), "'7 slices'"),
    "lost virtual GPUs": (
        a_node(capacity={"volcano.sh/vgpu-number": 80}, allocatable={"volcano.sh/vgpu-number": 70}),
        "virtual GPUs",
    ),
}


@pytest.mark.parametrize(("node", "reason"), UNTOLD.values(), ids=UNTOLD.keys())
def test_does_not_judge_what_nobody_tells(node, reason):
    health = a_machine(node).health

    assert health.usable_cards == health.healthy
    assert reason in health.usable_cards.reason


def test_nothing_is_usable_where_all_is_stopped_however_many_cards_there_are():
    health = a_machine(a_node(labels=single(0, "INVALID"), capacity={GPU: 0})).health

    assert (health.usable_cards, health.healthy) == (0, False)
    assert [one.code for one in health.reasons] == [C.MIG_INVALID, C.NO_CAPACITY, C.UNKNOWN_CARDS]
    assert "GPUs are expected" in health.reasons[1].message


def test_tells_since_when_a_node_is_not_ready():
    (reason,) = a_machine(a_node(ready=False)).health.reasons

    assert reason.since == NOON


SLURM = {
    "idle": (["IDLE"], 8, True),
    "drained by a person": (["IDLE", "DRAIN"], 8, True),
    "down": (["DOWN"], 0, False),
    "not responding": (["IDLE", "NOT_RESPONDING"], 0, False),
    "fewer than configured": (["IDLE", "DRAIN", "INVALID_REG"], 0, False),
    "failing": (["MIXED", "FAIL"], 0, False),
    "powered down until it is asked": (["IDLE", "POWERED_DOWN"], 8, True),
}


@pytest.mark.parametrize(("states", "usable", "healthy"), SLURM.values(), ids=SLURM.keys())
def test_judges_by_what_slurm_says(states, usable, healthy):
    health = a_machine(slurm=a_slurm_node(states=states)).health

    assert (health.usable_cards, health.healthy, health.expected_cards) == (usable, healthy, 8)


def test_says_in_slurms_words_why_a_node_is_down():
    (reason,) = a_machine(slurm=a_slurm_node(states=["DOWN", "NOT_RESPONDING"])).health.reasons

    assert reason.code is C.SLURM_DOWN
    assert reason.message == "Slurm says DOWN+NOT_RESPONDING: changed by a test"


def test_a_state_that_slurm_does_not_know_is_unknown_and_not_down():
    health = a_machine(slurm=a_slurm_node(states=["UNKNOWN"])).health

    assert health.usable_cards == undetermined(System.SLURM, "Slurm says UNKNOWN of the node's state")


def test_the_system_that_a_node_serves_judges_it():
    ready, down = a_node(), a_slurm_node(states=["DOWN"])
    judged = {
        target: a_machine(ready, a_record(target=target), down).health.usable_cards
        for target in (Target.KUBERNETES, Target.SLURM, None)
    }

    assert judged == {Target.KUBERNETES: 8, Target.SLURM: 0, None: 8}


OPEN = {
    "a node": (a_node(), True),
    "a cordoned one": (a_node(cordoned=True), False),
    "one that leaves": (a_node(taints=["ToBeDeletedByClusterAutoscaler"]), False),
    "one with a taint of its own": (a_node(taints=["dedicated"]), True),
    "one that Slurm may fill": (a_slurm_node(), True),
    "a drained one": (a_slurm_node(states=["IDLE", "DRAIN"]), False),
    "one that reboots": (a_slurm_node(states=["IDLE", "REBOOT_ISSUED"]), False),
}


@pytest.mark.parametrize(("node", "expected"), OPEN.values(), ids=OPEN.keys())
def test_knows_where_new_work_may_be_placed(node, expected):
    assert takes_work(node) is expected


CRASHING = pod_of(PLUGIN, container(waiting="CrashLoopBackOff", restarts=7))


@pytest.mark.parametrize(
    ("pods", "codes"),
    [
        ((CRASHING,), [C.DEVICE_PLUGIN_CRASHING]),
        ((pod_of(PLUGIN, container()),), []),
        ((pod_of(PLUGIN, container(waiting="ImagePullBackOff")),), []),
        ((pod_of(DISCOVERY, container(waiting="CrashLoopBackOff")),), []),
        (silence(System.KUBERNETES), []),
    ],
    ids=["the plugin crashes", "it runs", "it has no image", "another operand crashes", "pods are silent"],
)
def test_a_device_plugin_that_crashes_serves_no_card(pods, codes):
    health = a_machine(a_node(), pods=pods).health

    assert [reason.code for reason in health.reasons] == codes
    assert health.usable_cards == (0 if codes else 8)


def test_a_plugin_that_begins_to_crash_or_ends_it_is_judged_at_once():
    keeper = a_keeper([a_node()], [pod_of(PLUGIN, container())])
    usable = []
    for pod in (CRASHING, pod_of(PLUGIN, container())):
        keeper.change(PODS, {(pod.namespace, pod.name): pod}, FRESH)
        usable.append(keeper.pin().node(CLUSTER, "gpu-01").health.usable_cards)

    assert usable == [0, 8]


def test_one_card_is_spoken_of_as_one():
    (reason,) = a_machine(a_node(labels=whole(1), capacity={})).health.reasons

    assert reason.message == "1 card is expected, and the node offers none"
