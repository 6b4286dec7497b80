from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.alert import RemedyAction
from gateway.fleet.diagnosis.admission.queue import check_queue
from gateway.fleet.diagnosis.diagnosis import StepOutcome
from gateway.fleet.kueue import KueueWorkload
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.source import SourceKey
from tests.builders import CLUSTER
from tests.fleet.diagnosis.admission.queues import (
    a_cluster,
    said,
    waiting,
)
from tests.fleets import FRESH
from tests.gpu_labels import GPU

PASS, FAIL, UNKNOWN = StepOutcome.PASS, StepOutcome.FAIL, StepOutcome.UNKNOWN
FULL = PendingCode.QUEUE_FULL


WORKLOADS = SourceKey(System.KUBERNETES, CLUSTER, "workloads")


def by_kueue(message, owner="Job/train"):
    waits = None
    if message is not None:
        waits = replace(waiting().turned_down, type="QuotaReserved", message=message)
    workload = KueueWorkload(
        cluster=CLUSTER, namespace="training", name="job-train", uid="w", owner=owner, waits=waits
    )
    pod = waiting(controller="Job/train", group=None, scheduler_name="default-scheduler")
    keeper = a_cluster([pod], [], [])
    keeper.replace(WORKLOADS, {("training", "job-train"): workload}, FRESH)
    return check_queue(pod, keeper.pin())


@pytest.mark.parametrize(
    ("message", "code", "action"),
    [
        (
            f"insufficient unused quota for {GPU} in flavor a100, 4 more needed",
            FULL,
            RemedyAction.RAISE_QUOTA,
        ),
        ("LocalQueue vision doesn't exist", PendingCode.QUEUE_UNKNOWN, RemedyAction.CHANGE_QUEUE),
        ("ClusterQueue gpus is inactive", PendingCode.QUEUE_CLOSED, RemedyAction.CHANGE_QUEUE),
        ("words of a later release", PendingCode.OTHER, RemedyAction.OTHER),
    ],
)
def test_says_why_kueue_did_not_admit_a_workload(message, code, action):
    step = by_kueue(message)

    assert said(step) == (FAIL, code, f"Kueue did not admit its workload job-train: {message}")
    assert [one.action for one in step.remedies] == [action]
    assert step.evidence[0].path == "workloads/training/job-train status.conditions[QuotaReserved]"


def test_a_workload_that_kueue_admitted_passes_and_others_say_nothing():
    assert said(by_kueue(None)) == (PASS, None, "Kueue admitted its workload job-train")
    assert by_kueue("", owner="Job/train").outcome is UNKNOWN
    assert by_kueue("LocalQueue vision doesn't exist", owner="Job/other") is None
    assert by_kueue(None, owner="Pod/work-0").outcome is PASS
