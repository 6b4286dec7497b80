from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.fleet.condition import Condition
from gateway.fleet.pending.sightings import sightings
from gateway.fleet.pod import BY_KUBELET
from gateway.fleet.reasons.reason import PendingCode
from tests.builders import NOON, a_pod
from tests.fleet.pending.said import (
    CORDONED,
    LACKING,
    QUEUED,
    WORKLOAD_LISTING,
    a_group,
    a_workload,
    an_event,
    speaking,
    waiting,
)
from tests.fleets import FRESH, NEVER, PODS, a_fleet, a_keeper

HOUR = timedelta(hours=1)
GANG = "2/2 tasks in gang unschedulable: pod group is not ready, 2 Pending, 2 minAvailable."


def seen(keeper):
    return list(sightings(keeper.pin()))


def test_a_condition_says_why_a_pod_waits_since_when_and_until_now():
    (one,) = sightings(a_fleet([], [waiting(since=NOON - HOUR)]))
    assert (one.pod_name, one.code, one.total_nodes) == ("work-0", PendingCode.INSUFFICIENT_RESOURCE, 18)
    assert [(part.nodes, part.resource) for part in one.parts] == [(18, "nvidia.com/mig-4g.20gb")]
    assert (one.first_seen, one.last_seen, one.origin) == (NOON - HOUR, NOON, "")


def test_an_event_and_a_condition_of_the_same_words_are_one_reason():
    condition, event = seen(speaking(an_event(count=7), keeper=a_keeper([], [waiting()])))
    assert condition.key == event.key
    assert (event.origin, event.count) == ("event-1", 7)


def test_what_is_said_of_another_number_of_nodes_is_the_same_reason():
    fewer = LACKING.replace("18", "17")
    first, second = seen(speaking(an_event(fewer), keeper=a_keeper([], [waiting()])))
    assert first.key == second.key


def test_other_words_are_another_reason():
    first, second = seen(speaking(an_event(CORDONED), keeper=a_keeper([], [waiting()])))
    assert first.key != second.key


def test_an_event_about_a_namesake_that_is_gone_is_of_that_one():
    _, event = seen(speaking(an_event(about="uid-before"), keeper=a_keeper([], [waiting()])))
    assert (event.key.subject, event.pod_name, event.controller) == ("uid-before", "work-0", None)


def test_a_refusal_at_creation_is_of_the_owner_since_no_pod_came_to_be():
    message = (
        'Error creating: pods "train-x7" is forbidden: exceeded quota: gpus, requested: '
        "requests.nvidia.com/gpu=2, used: requests.nvidia.com/gpu=8, limited: requests.nvidia.com/gpu=8"
    )
    event = an_event(message, kind="Job", name="train", about="uid-train", reason="FailedCreate")
    (one,) = seen(speaking(event, keeper=a_keeper()))
    assert (one.pod_name, one.controller, one.code) == (None, "Job/train", PendingCode.QUOTA_EXCEEDED)


def test_of_a_group_the_newest_condition_speaks():
    waited = ("Unschedulable", GANG, NOON - HOUR)
    (one,) = sightings(a_fleet(pod_groups=[a_group(waited)]))
    assert (one.controller, one.key.subject, one.first_seen) == ("PodGroup/gang", "uid-gang", NOON - HOUR)
    placed = a_group(waited, ("Scheduled", "", NOON), phase="Running")
    assert list(sightings(a_fleet(pod_groups=[placed]))) == []
    assert list(sightings(a_fleet(pod_groups=[a_group(waited, ("Scheduled", "", NOON))]))) == []


def test_a_job_in_a_queue_of_kueue_has_no_pods_yet():
    (one,) = seen(queued(a_workload()))
    assert (one.pod_name, one.controller, one.scheduler) == (None, "Job/train", "kueue")
    assert (one.code, one.parts[0].resource) == (PendingCode.QUEUE_FULL, "nvidia.com/gpu")
    assert seen(queued(a_workload(None))) == []


def test_an_event_of_kueue_is_of_the_same_job_by_the_same_speaker():
    about = {"kind": "Workload", "name": "job-train", "about": "uid-workload", "by": "kueue-admission"}
    condition, event = seen(speaking(an_event(QUEUED, **about), keeper=queued(a_workload())))
    assert (event.key, event.controller, event.scheduler) == (condition.key, "Job/train", "kueue")


def queued(workload):
    keeper = a_keeper()
    keeper.replace(WORKLOAD_LISTING, {("training", workload.name): workload}, FRESH)
    return keeper


def test_of_a_pod_that_only_its_kubelet_cannot_start_nothing_is_said():
    event = an_event('no runtime for "nvidia" is configured', reason="FailedCreatePodSandBox")
    assert seen(speaking(event, keeper=a_keeper([], [a_pod()]))) == []


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("a plugin said \x00 no", "a plugin said \ufffd no"),
        ("a path C:\\u0000", "a path C:\\u0000"),
        ("x" * 1_000_000, "x" * 8192 + " ..."),
        ("0/99999999999999 nodes are available: 3 Insufficient nvidia.com/gpu.", None),
        ("0/3 nodes are available: 99999999999999 Insufficient nvidia.com/gpu.", None),
    ],
)
def test_odd_messages_are_kept_as_far_as_any_store_can(message, kept):
    (one,) = sightings(a_fleet([], [waiting(message)]))
    assert one.message == (kept or message)
    assert all(part.nodes < 2**31 for part in one.parts)
    assert (one.total_nodes or 0) < 2**31


@pytest.mark.parametrize(
    "piece",
    [
        "0/1 nodes are available: 1 ",
        "insufficient quota for ",
        "1",
        "node(s) didn't satisfy plugin [NodeAffinity",
        "pod group is not ready, 1 Pending, ",
        '"',
        ", 1 ",
    ],
)
@pytest.mark.parametrize("begins", ["", "0/1 nodes are available: 1 ", "pod group is not ready, "])
def test_a_message_that_repeats_itself_for_a_megabyte_is_read_all_the_same(begins, piece):
    (one,) = sightings(a_fleet([], [waiting(begins + piece * (2**20 // len(piece)))]))
    assert len(one.message) == 8192 + len(" ...")


def test_a_pod_that_the_kubelet_failed_says_so_in_its_own_status():
    failed = Condition(
        type=BY_KUBELET,
        status="False",
        reason="UnexpectedAdmissionError",
        message="Allocate failed due to no healthy devices present",
        since=NOON - HOUR,
    )
    pod = replace(a_pod(phase="Failed"), turned_down=failed)
    (one,) = sightings(a_fleet([], [pod]))
    assert (one.scheduler, one.code) == ("kubelet", PendingCode.KUBELET_ADMISSION)
    assert one.message.startswith("UnexpectedAdmissionError: Allocate failed")


def test_of_a_pod_that_was_placed_and_of_a_silent_cluster_nothing_is_said():
    assert list(sightings(a_fleet([], [a_pod()]))) == []
    keeper = a_keeper([], [waiting()])
    keeper.touch(PODS, NEVER)
    assert seen(keeper) == []


@pytest.mark.parametrize(("keys", "kept"), [(30, 30), (900, 8)])
def test_of_a_long_refusal_as_many_parts_are_kept_as_there_is_room_for(keys, kept):
    asked = ",".join(f"requests.example.com/{number:03}=1" for number in range(keys))
    message = f"exceeded quota: cards, requested: {asked}"[:8000] + ", used: none"
    (one,) = sightings(a_fleet([], [waiting(message)]))
    assert len(one.parts) == kept
