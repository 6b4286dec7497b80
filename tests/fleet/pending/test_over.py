from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.fleet.pending.over import QUIET, SETTLED, over
from gateway.fleet.pending.reason import KeptReason
from gateway.fleet.pending.sightings import sightings
from tests.builders import NOON, a_pod
from tests.fleet.pending.said import (
    CORDONED,
    EVENT_LISTING,
    LACKING,
    QUEUED,
    REFUSED,
    WORKLOAD_LISTING,
    a_group,
    a_workload,
    an_event,
    speaking,
    waiting,
)
from tests.fleets import ABSENT, FRESH, NEVER, POD_GROUPS, PODS, a_fleet, a_keeper

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
GANG = "2/2 tasks in gang unschedulable: pod group is not ready, 2 Pending, 2 minAvailable."
FULL = "queue resource quota insufficient: insufficient nvidia.com/gpu"
UNSCHEDULABLE = ("Unschedulable", GANG, NOON - HOUR)


def kept(keeper):
    """What is kept of what this fleet said first, a while ago."""
    sighting = next(sightings(keeper.pin()))
    return KeptReason(
        key=sighting.key,
        namespace=sighting.namespace,
        pod_name=sighting.pod_name,
        controller=sighting.controller,
        code=sighting.code,
        scheduler=sighting.scheduler,
        last_seen=NOON - MINUTE,
    )


def is_over(reason, fleet):
    return list(over([reason], list(sightings(fleet)), fleet)) == [reason.key]


OF_POD = kept(a_keeper([], [waiting()]))
OF_GROUP = kept(a_keeper(pod_groups=[a_group(UNSCHEDULABLE)]))
ABOUT_GROUP = {"kind": "PodGroup", "name": "gang", "about": "uid-gang", "by": "volcano"}
AT_THE_GATE = kept(speaking(an_event(FULL, **ABOUT_GROUP), keeper=a_keeper()))
OF_OWNER = kept(speaking(an_event(REFUSED, kind="Job", name="train", about="uid-train"), keeper=a_keeper()))


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        pytest.param(waiting(), False, id="it is still said"),
        pytest.param(waiting(None), False, id="nothing is said, and it still waits"),
        pytest.param(waiting(CORDONED), True, id="something else is said now"),
        pytest.param(a_pod(), True, id="it was placed"),
        pytest.param(replace(waiting(None), uid="uid-after"), True, id="a namesake waits"),
        pytest.param(replace(waiting(None), ended=True), True, id="it ended"),
        pytest.param(a_pod("other"), True, id="it is gone"),
    ],
)
def test_a_reason_of_a_pod_holds_while_that_pod_waits_and_nothing_else_is_said(pod, expected):
    assert is_over(OF_POD, a_fleet([], [pod])) is expected


def test_the_word_of_another_scheduler_stands_beside_it():
    autoscaler = replace(OF_POD, scheduler="cluster-autoscaler")
    assert not is_over(autoscaler, a_fleet([], [waiting(CORDONED)]))
    assert is_over(autoscaler, a_fleet([], [a_pod()]))


@pytest.mark.parametrize(
    ("listing", "reason"),
    [(PODS, OF_POD), (PODS, OF_OWNER), (POD_GROUPS, OF_GROUP), (POD_GROUPS, AT_THE_GATE)],
)
def test_while_it_cannot_be_looked_at_nothing_is_over(listing, reason):
    keeper = a_keeper([], [replace(a_pod(), controller="Job/train", created_at=NOON - HOUR / 6)])
    early = replace(reason, last_seen=NOON - HOUR / 4)
    assert is_over(early, keeper.pin())
    keeper.touch(listing, NEVER)
    assert not is_over(early, keeper.pin())


def test_what_is_kept_of_a_cluster_that_is_not_read_here_is_left_alone():
    elsewhere = replace(OF_POD, key=replace(OF_POD.key, cluster="elsewhere"))
    assert not is_over(elsewhere, a_fleet())


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        pytest.param(a_group(UNSCHEDULABLE), False, id="it is still said"),
        pytest.param(a_group(), False, id="nothing is said, and it still waits"),
        pytest.param(a_group(("Unschedulable", LACKING, NOON)), True, id="something else is said now"),
        pytest.param(a_group(UNSCHEDULABLE, ("Scheduled", "", NOON)), True, id="it is about to run"),
        pytest.param(a_group(UNSCHEDULABLE, phase="Running"), True, id="it runs"),
        pytest.param(replace(a_group(), uid="uid-after"), True, id="a namesake waits"),
        pytest.param(replace(a_group(), name="other"), True, id="it is gone"),
    ],
)
def test_a_reason_of_a_group_holds_while_that_group_waits_and_nothing_else_is_said(group, expected):
    assert is_over(OF_GROUP, a_fleet(pod_groups=[group])) is expected


@pytest.mark.parametrize(("phase", "expected"), [("Pending", False), ("Inqueue", True)])
def test_why_a_group_is_not_let_in_holds_until_it_is_whatever_its_condition_says(phase, expected):
    group = a_group(UNSCHEDULABLE, phase=phase)
    assert is_over(AT_THE_GATE, a_fleet(pod_groups=[group])) is expected


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        pytest.param(a_workload(), False, id="it is still said"),
        pytest.param(a_workload(CORDONED), True, id="something else is said now"),
        pytest.param(a_workload(None), True, id="it was admitted"),
        pytest.param(replace(a_workload(), uid="uid-after"), True, id="a namesake waits"),
    ],
)
def test_a_reason_of_kueue_holds_while_that_workload_waits(workload, expected):
    queued, now = a_keeper(), a_keeper()
    queued.replace(WORKLOAD_LISTING, {("training", "job-train"): a_workload(QUEUED)}, FRESH)
    now.replace(WORKLOAD_LISTING, {("training", "job-train"): workload}, FRESH)
    assert is_over(kept(queued), now.pin()) is expected


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        pytest.param(-SECOND, False, id="it was made before"),
        pytest.param(SECOND, True, id="it was made since"),
    ],
)
def test_a_refusal_is_over_when_its_owner_makes_pods_again(age, expected):
    refused = replace(OF_OWNER, last_seen=NOON - HOUR / 4)
    pod = replace(a_pod(), controller="Job/train", created_at=refused.last_seen + age)
    assert is_over(refused, a_fleet([], [pod])) is expected


def test_a_refusal_of_the_moment_in_which_a_pod_was_made_may_still_come():
    refused = replace(OF_OWNER, last_seen=NOON - SETTLED)
    pod = replace(a_pod(), controller="Job/train", created_at=NOON - SECOND)
    assert not is_over(refused, a_fleet([], [pod]))


@pytest.mark.parametrize("reason", [OF_OWNER, AT_THE_GATE])
def test_of_what_cannot_be_seen_a_reason_is_over_when_nothing_was_said_for_long(reason):
    keeper = a_keeper()
    keeper.touch(POD_GROUPS, ABSENT)
    assert not is_over(replace(reason, last_seen=NOON - QUIET), keeper.pin())
    assert is_over(replace(reason, last_seen=NOON - QUIET - SECOND), keeper.pin())
    keeper.touch(EVENT_LISTING, NEVER)
    assert not is_over(replace(reason, last_seen=NOON - HOUR), keeper.pin())


@pytest.mark.parametrize("reason", [OF_POD, OF_GROUP, AT_THE_GATE])
def test_what_is_not_listed_yet_though_it_is_spoken_of_is_not_taken_to_be_gone(reason):
    assert not is_over(replace(reason, last_seen=NOON - SETTLED), a_fleet())
    assert is_over(replace(reason, last_seen=NOON - SETTLED - SECOND), a_fleet())
