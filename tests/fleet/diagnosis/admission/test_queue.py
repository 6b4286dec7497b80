from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.diagnosis.admission.queue import check_queue
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, StepOutcome
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.unknown import undetermined
from tests.fleet.diagnosis.admission.queues import (
    FLAT,
    TREE,
    a_cluster,
    a_group,
    a_queue,
    judged,
    said,
    waiting,
)
from tests.fleets import NEVER, POD_GROUPS, PODS, QUEUES
from tests.gpu_labels import GPU

PASS, FAIL, UNKNOWN = StepOutcome.PASS, StepOutcome.FAIL, StepOutcome.UNKNOWN


def test_a_queue_that_takes_work_in_passes():
    step = judged([a_group()], [a_queue()])

    assert (step.check, *said(step)) == (DiagnosisCheck.QUEUE, PASS, None, "queue training let its group in")


def test_parents_that_are_each_others_parents_end():
    queues = [a_queue(parent_name="lab"), a_queue("lab", parent_name="training")]

    assert judged([a_group()], queues, scheduler=TREE).code is PendingCode.MISCONFIGURED


def test_a_group_that_nothing_keeps_out_is_not_explained():
    group = a_group(phase="Pending", least={GPU: 4})
    looked_at = replace(group, conditions=(waiting().turned_down,))

    step, unseen = (judged([one], [a_queue()]) for one in (looked_at, group))

    assert said(step) == (UNKNOWN, None, "queue training does not let its group in: nothing tells why")
    assert unseen.finding == "queue training does not let its group in: no scheduler has looked at it yet"


def test_a_group_in_the_root_stops_all():
    queues = [a_queue(), a_queue("root", parent_name=None)]

    step = judged([a_group(), a_group("odd", "root")], queues, scheduler=TREE)

    assert step.code is PendingCode.MISCONFIGURED
    assert "PodGroup training/odd is in queue root, which has children (training)" in step.finding


def test_a_queue_with_children_stops_all_only_where_queues_have_parents():
    queues = [a_queue(), a_queue("lab"), a_queue("deep", parent_name="lab")]
    groups = [a_group(phase="Pending", least={GPU: 4}), a_group("odd", "lab")]
    fault = "PodGroup training/odd is in queue lab, which has children (deep)"

    assert said(judged(groups, queues, scheduler=TREE)) == (
        FAIL,
        PendingCode.MISCONFIGURED,
        f"no queue of the cluster lets anything in: {fault}",
    )
    assert fault not in judged(groups, queues).finding
    unseen = judged(groups, queues, scheduler=None)
    assert (unseen.outcome, unseen.code) == (UNKNOWN, None)
    assert unseen.finding.startswith(f"{fault}: that stops every queue if enableHierarchy is on")


def test_does_not_apply_to_pods_of_other_schedulers_and_without_a_group():
    assert judged([a_group()], [a_queue()], pod=waiting(scheduler_name="default-scheduler")) is None
    assert judged([a_group()], [a_queue()], pod=waiting(group=None)) is None
    assert judged([], [a_queue()]) is None  # the gang is what is missing


@pytest.mark.parametrize("key", [PODS, POD_GROUPS, QUEUES])
def test_what_is_silent_is_not_judged(key):
    keeper = a_cluster([waiting()], [a_group()], [a_queue(capability={GPU: 1})], scheduler=FLAT)
    keeper.replace(key, {}, NEVER)

    assert check_queue(waiting(), keeper.pin()).outcome is UNKNOWN


def test_amounts_that_are_not_known_are_not_judged():
    unread = undetermined(System.KUBERNETES, "lots is no amount")
    pod = waiting()
    assert judged(
        [a_group()], [a_queue(capability={GPU: 8})], pod=replace(pod, requests=pod.requests.set(GPU, unread))
    ).finding.endswith("lots is no amount")
    untold = replace(a_queue(capability={GPU: 8}), allocated=None)
    assert judged([a_group()], [untold]).finding == "queue training does not say what is allocated"
