"""Every situation that was played on the real scheduler of Volcano and keeps pods waiting, judged."""

import pytest

from gateway.fleet.diagnosis.admission.gang import check_gang
from gateway.fleet.diagnosis.admission.queue import check_queue
from gateway.fleet.diagnosis.diagnosis import StepOutcome
from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduler import SharePlugin
from tests.builders import CLUSTER
from tests.recorded_volcano import recorded
from tests.scheduling import GPU, a_config

PASS, WARN, FAIL, UNKNOWN = StepOutcome.PASS, StepOutcome.WARN, StepOutcome.FAIL, StepOutcome.UNKNOWN
FULL, LIMIT, CLOSED = PendingCode.QUEUE_FULL, PendingCode.ENQUEUE_LIMIT, PendingCode.QUEUE_CLOSED
MISSING, WRONG = PendingCode.QUEUE_UNKNOWN, PendingCode.MISCONFIGURED
NOT_READY, NOWHERE = PendingCode.GANG_NOT_READY, PendingCode.INSUFFICIENT_RESOURCE
FLAT, TREE = a_config(), a_config(hierarchy=True)
BY_WEIGHT, BY_NONE = a_config(share_plugin=SharePlugin.PROPORTION), a_config(share_plugin=None)
BATCH = "cannot be taken back from queue ml-batch: its deserved lacks"
PROD = "queue ml-prod cannot take back its"
NONLEAF = "is in queue search, which has children (search-online)"
ORPHAN = "queue orphan names a parent that does not exist: gone"
SMALL = f"queue speech may hold 8 {GPU}: 7 are held"
SPEECH = f"queue speech may hold 8 {GPU}: 4 are held or promised, 6 more are asked for"

QUEUES = [
    ("gang-overcommit", TREE, "llm-0", LIMIT, f"19.2 {GPU}, 1.2 of the cluster's 16: 0 are in use"),
    ("gang-pod-deleted", TREE, "quota", FULL, "queue small may hold 1 cpu: 0 are held or promised, 4 more"),
    ("hierarchy", TREE, "s-over-0", FULL, SPEECH),
    ("hierarchy-badparent", TREE, "after", WRONG, ORPHAN),
    ("hierarchy-badparent", TREE, "s-over-0", WRONG, ORPHAN),
    ("hierarchy-nonleaf", TREE, "after", WRONG, NONLEAF),
    ("hierarchy-nonleaf", TREE, "nonleaf", WRONG, NONLEAF),
    ("mig-missing", TREE, "none-has-it", NOWHERE, "no node of the cluster has any nvidia.com/mig-4g.20gb"),
    ("mig-missing", TREE, "gpu-and-mig", NOWHERE, "no node of the cluster has any nvidia.com/mig-4g.20gb"),
    ("mig-missing", TREE, "runs", LIMIT, "0 are in use, 8 are let in and not placed, 1 more"),
    ("mig-missing", TREE, "gang-mig-0", LIMIT, "8 are let in and not placed, 9 more"),
    ("mig-missing-no-overcommit", TREE, "two-missing", NOWHERE, "has any nvidia.com/mig-3g.40gb"),
    ("over-capability-capacity", TREE, "eval-0", FULL, f"{SMALL}, 3 more are asked for"),
    ("over-capability-capacity", TREE, "notebook", FULL, f"{SMALL} or promised, 4 more are asked for"),
    ("over-capability-capacity", TREE, "tts-1", FULL, "queue speech may hold 32 cpu: 9 are held or promised"),
    ("over-capability-proportion", BY_WEIGHT, "eval-0", FULL, f"{SMALL}, 3 more are asked for"),
    ("over-capability-proportion", BY_WEIGHT, "notebook", FULL, f"{SMALL} or promised, 4 more"),
    ("v1130-over-capability", TREE, "notebook", FULL, f"{SMALL} or promised, 4 more are asked for"),
    ("queue-closed", TREE, "late-1", CLOSED, "queue cv-closing is Closing"),
    ("queue-closed", TREE, "late-2", CLOSED, "queue cv-closed is Closed"),
    ("queue-closed", TREE, "late-gang-0", CLOSED, "queue cv-closing is Closing"),
    ("queue-missing", TREE, "lost-gang-0", MISSING, "queue typo-queue does not exist"),
    ("queue-missing", TREE, "lost-pod", MISSING, "queue no-such-queue does not exist"),
    ("queue-without-controller", TREE, "grp-0", CLOSED, "queue solo has no state"),
    ("reclaim-ask-over-overcommit", FLAT, "infer-0", LIMIT, "16 are in use, 0 are let in and not placed, 4"),
    (
        "reclaim-guarantees-eat-total",
        FLAT,
        "infer-0",
        FULL,
        "guarantees of ml-batch leave queue ml-prod 0 of",
    ),
    ("reclaim-borrower-no-gpu", FLAT, "infer-0", WRONG, f"{GPU} {BATCH} {GPU}"),
    ("reclaim-cpu-bound-gpu-only", FLAT, "infer-0", WRONG, f"{BATCH} cpu, ephemeral-storage, memory"),
    ("reclaim-mig-not-listed", FLAT, "infer-0", WRONG, f"{BATCH} nvidia.com/mig-1g.10gb"),
    ("v1130-reclaim-gpu-only", FLAT, "infer-0", WRONG, f"{PROD} {GPU}: its deserved lacks cpu, eph"),
    ("v1130-reclaim-owner-no-gpu", FLAT, "infer-0", WRONG, f"its deserved lacks {GPU}"),
]
OPEN = [
    ("gang-no-minresources", TREE, "llm-0", PASS, "let its group in"),
    ("gang-partial", TREE, "llm-0", WARN, "queue research takes nothing back: it deserves nothing"),
    ("gates-and-short-gangs", TREE, "short-0", PASS, "let its group in"),
    ("mig-missing-no-queue-plugin", BY_NONE, "one", PASS, "let its group in"),
    ("reclaim-owner-empty", FLAT, "infer-0", WARN, "queue ml-prod takes nothing back: it deserves nothing"),
    ("reclaim-gpu-only", FLAT, "infer-0", PASS, "queue ml-prod let it through"),
    ("reclaim-full", FLAT, "infer-0", PASS, "queue ml-prod let it through"),
    ("v1130-reclaim-full", FLAT, "infer-0", PASS, "queue ml-prod let it through"),
    ("reclaim-proportion", BY_WEIGHT, "infer-0", PASS, "queue ml-prod let it through"),
    ("reclaim-mig-listed-zero", FLAT, "infer-0", PASS, "queue ml-prod let it through"),
]
GANGS = [
    ("gang-overcommit", "llm-0", FAIL, NOT_READY, "its gang still needs 4 pods, and 2 fit at once"),
    ("gang-no-minresources", "llm-3", FAIL, NOT_READY, "its gang still needs 4 pods, and 2 fit at once"),
    ("gang-partial", "llm-2", FAIL, NOT_READY, "its gang still needs 4 pods, and 3 fit at once"),
    (
        "gang-partial-default-actions",
        "llm-0",
        FAIL,
        NOT_READY,
        "its gang still needs 4 pods, and 3 fit at once",
    ),
    ("gang-pod-deleted", "llm-0", FAIL, NOT_READY, "its gang needs 4 pods, and has 3"),
    ("mig-missing", "gang-mig-0", FAIL, NOT_READY, "its gang still needs 3 pods, and 2 fit at once"),
    ("gates-and-short-gangs", "mixed-0", FAIL, NOT_READY, "2 pods without scheduling gates, and has 1"),
    ("gates-and-short-gangs", "short-1", FAIL, NOT_READY, "its gang needs 3 pods, and has 2"),
    ("gates-and-short-gangs", "roles-w0", FAIL, NOT_READY, "pods of every role: 1 master (it has 0)"),
    ("queue-without-controller", "bare", FAIL, WRONG, "no PodGroup was made for it"),
    (
        "vcjob-roles",
        "half-worker-0",
        FAIL,
        NOT_READY,
        "its gang still needs 2 pods, and 1 fits at once",
    ),
    ("vcjob-roles", "wrong-zone-worker-0", WARN, None, "needs 2 pods, and none fits anywhere"),
    ("over-capability-capacity", "tts-0", PASS, None, "its gang still needs 2 pods, and so many fit at once"),
]


def pod_of(fleet, name):
    return next(pod for pod in fleet.pods(CLUSTER).values() if pod.name == name)


@pytest.mark.parametrize(("name", "config", "pod", "code", "words"), QUEUES)
def test_names_what_of_its_queue_holds_a_pod_up(name, config, pod, code, words):
    fleet = recorded(name, config)

    step = check_queue(pod_of(fleet, pod), fleet)

    assert (step.outcome, step.code) == (FAIL, code)
    assert words in step.finding
    assert step.evidence
    assert step.remedies


@pytest.mark.parametrize(("name", "config", "pod", "outcome", "words"), OPEN)
def test_does_not_blame_a_queue_that_lets_a_pod_in(name, config, pod, outcome, words):
    fleet = recorded(name, config)

    step = check_queue(pod_of(fleet, pod), fleet)

    assert (step.outcome, step.code) == (outcome, None)
    assert words in step.finding


@pytest.mark.parametrize(("name", "pod", "outcome", "code", "words"), GANGS)
def test_names_what_a_gang_lacks(name, pod, outcome, code, words):
    fleet = recorded(name, TREE)

    step = check_gang(pod_of(fleet, pod), fleet)

    assert (step.outcome, step.code) == (outcome, code)
    assert words in step.finding


WORDS = {LIMIT: "all queues together", FULL: " are held or promised"}
SAID = sorted({(name, config) for name, config, *_ in QUEUES}, key=lambda one: one[0])


@pytest.mark.parametrize(("name", "config"), SAID)
def test_agrees_with_a_word_of_the_scheduler_at_the_gate(name, config):
    fleet = recorded(name, config)
    for group in fleet.pod_groups(CLUSTER):
        about = [event for event in fleet.events(CLUSTER) if event.about_uid == group.uid]
        codes = {read_message(event.message).code for event in about} & {FULL, LIMIT}
        for pod in fleet.pods_of_group(group) if codes and group.phase == "Pending" else ():
            step = check_queue(pod, fleet)
            told = {code for code, word in WORDS.items() if word in step.finding}
            assert told & codes or step.code in {NOWHERE, WRONG}, pod.name
