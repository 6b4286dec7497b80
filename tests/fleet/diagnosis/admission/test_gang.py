from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.errors import System
from gateway.fleet.alert import RemedyAction
from gateway.fleet.diagnosis.admission.gang import check_gang
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, StepOutcome
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.unknown import undetermined
from tests.builders import NOON, a_node
from tests.fleet.diagnosis.admission.events import refused, with_events
from tests.fleet.diagnosis.admission.queues import a_cluster, a_group, a_queue, roomy, running, said, waiting
from tests.fleets import ABSENT, NEVER, NODES, POD_GROUPS, PODS
from tests.gpu_labels import GPU

PASS, WARN, FAIL, UNKNOWN = StepOutcome.PASS, StepOutcome.WARN, StepOutcome.FAIL, StepOutcome.UNKNOWN
NOT_READY, WRONG = PendingCode.GANG_NOT_READY, PendingCode.MISCONFIGURED


def judged(need, pods, *, events=(), nodes=None, **more):
    """What is said of the gang of the first pod."""
    keeper = a_cluster(pods, [a_group(min_member=need, **more)], [a_queue()], nodes=nodes)
    return check_gang(pods[0], with_events(keeper, events).pin())


def gang(count, cards=4, **more):
    return [waiting(f"work-{at}", {GPU: cards}, **more) for at in range(count)]


@pytest.mark.parametrize(
    ("pods", "outcome", "code", "finding"),
    [
        (gang(2), PASS, None, "its gang still needs 2 pods, and so many fit at once"),
        (gang(1), FAIL, NOT_READY, "its gang needs 2 pods, and has 1"),
        (
            gang(2, 16),
            WARN,
            None,
            "its gang still needs 2 pods, and none fits anywhere as things stand",
        ),
        (
            gang(2, 5),
            FAIL,
            NOT_READY,
            "its gang still needs 2 pods, and 1 fits at once: it starts with all or none",
        ),
        (
            [*gang(1), *gang(2, gated=True)[1:]],
            FAIL,
            NOT_READY,
            "its gang needs 2 pods without scheduling gates, and has 1",
        ),
    ],
)
def test_says_whether_all_that_it_needs_can_start(pods, outcome, code, finding):
    step = judged(2, pods)

    assert step.check is DiagnosisCheck.GANG
    assert said(step) == (outcome, code, finding)


def test_counts_what_is_placed_and_what_succeeded():
    ended = running("ended", 4, group="gang", phase="Succeeded", ended=True)
    failed = running("failed", 4, group="gang", phase="Failed", ended=True)
    runs = running("runs", 4, group="gang")

    assert judged(3, [*gang(1), runs, ended]).finding == "its gang still needs 1 pod, and so many fit at once"
    assert judged(3, [*gang(1), runs, failed]).finding == "its gang needs 3 pods, and has 2"
    assert judged(2, [*gang(1), runs, ended]).finding == ("its gang runs: it needs 2 pods, and 2 are placed")


def test_says_why_there_are_no_more_of_it():
    pod = waiting(controller="Job/train")

    step = judged(2, [pod], events=[refused("Job", "train", "pods is forbidden: exceeded quota: gpus")])

    assert step.finding == (
        "its gang needs 2 pods, and has 1; more are refused: pods is forbidden: exceeded quota: gpus"
    )
    assert step.remedies[0].text == "make the 1 that are missing, or lower minMember of gang to 1"


def test_what_is_needed_of_each_role_is_asked_only_where_it_comes_to_no_more_than_all():
    pods = gang(3, 1, task="worker")

    lacking = judged(3, pods, min_tasks=(("master", 1), ("worker", 2)))
    assert lacking.finding == "its gang needs pods of every role: 1 master (it has 0)"
    assert judged(2, pods, min_tasks=(("master", 1), ("worker", 2))).outcome is PASS
    assert judged(3, pods, min_tasks=(("worker", 3),)).outcome is PASS


def test_different_pods_may_fit_and_it_is_not_settled():
    nodes = [roomy(a_node("gpu-01", capacity={GPU: 5})), roomy(a_node("gpu-02", capacity={GPU: 5}))]
    pods = [waiting("a", {GPU: 4}), waiting("b", {GPU: 3}), waiting("c", {GPU: 3})]

    step = judged(3, pods, nodes=nodes)

    assert said(step) == (
        UNKNOWN,
        None,
        "its gang still needs 3 pods: at least 2 fit at once, and whether all do is not settled",
    )


def test_makes_room_for_as_many_as_do_not_fit():
    step = judged(4, gang(4))

    assert step.finding.startswith("its gang still needs 4 pods, and 2 fit at once")
    assert [(one.action, one.text) for one in step.remedies] == [
        (RemedyAction.FREE_WORKLOADS, "make room for 2 more pods of it at the same time")
    ]
    assert [(one.path, one.value) for one in step.evidence] == [
        ("podgroups/training/gang spec.minMember", "4"),
        ("pods of PodGroup gang", "4"),
        ("placed pods of PodGroup gang", "0"),
    ]


@pytest.mark.parametrize(
    ("group", "finding"),
    [
        ("lost", "its PodGroup lost does not exist, so it waits for ever: nothing tells so"),
        (None, "no PodGroup was made for it, and without one it waits for ever: nothing tells so"),
    ],
)
def test_a_pod_without_its_group_waits_for_ever(group, finding):
    old = NOON - timedelta(minutes=1)
    assert said(judged(1, [waiting(group=group, created_at=old)])) == (FAIL, WRONG, finding)
    assert judged(1, [waiting(group=group, created_at=NOON)]).outcome is UNKNOWN


def test_does_not_apply_to_who_starts_alone():
    assert judged(1, gang(1)) is None
    assert judged(2, [running("runs", 4, group="gang")]) is None
    assert judged(2, gang(2, scheduler_name="default-scheduler")) is None


def test_does_not_apply_where_there_are_no_groups():
    keeper = a_cluster(gang(1, group=None), [], [])
    keeper.replace(POD_GROUPS, {}, ABSENT)

    assert check_gang(waiting(group=None), keeper.pin()) is None


@pytest.mark.parametrize("key", [NODES, PODS, POD_GROUPS])
def test_what_is_silent_is_not_judged(key):
    pods = gang(2)
    keeper = a_cluster(pods, [a_group(min_member=2)], [a_queue()])
    keeper.replace(key, {}, NEVER)

    assert check_gang(pods[0], keeper.pin()).outcome is UNKNOWN


def test_requests_that_are_not_known_are_not_judged():
    unread = undetermined(System.KUBERNETES, "lots is no amount")
    pods = [replace(one, requests=one.requests.set(GPU, unread)) for one in gang(2)]

    assert said(judged(2, pods)) == (UNKNOWN, None, "lots is no amount")
