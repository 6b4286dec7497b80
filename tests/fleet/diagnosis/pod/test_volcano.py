"""What is found of pods that Volcano's own schedulers left waiting: queue and gang decide before nodes do."""

import pytest

from gateway.fleet.diagnosis.pod.diagnose import diagnose
from tests.fleet.diagnosis.pod.cases import FAIL
from tests.recorded_volcano import recorded
from tests.scheduling import a_config

NODES = "INSUFFICIENT_RESOURCE"
WAITING = [
    ("gang-no-minresources", "llm-0", "GANG_NOT_READY", ["GANG"]),
    ("gang-overcommit", "llm-0", "ENQUEUE_LIMIT", ["QUEUE", "GANG"]),
    ("gates-and-short-gangs", "gated", "SCHEDULING_GATED", ["SCHEDULING_GATES"]),
    ("gates-and-short-gangs", "mixed-1", "GANG_NOT_READY", ["GANG", "SCHEDULING_GATES"]),
    ("hierarchy", "s-over-0", "QUEUE_FULL", ["QUEUE"]),
    ("hierarchy-nonleaf", "after", "MISCONFIGURED", ["QUEUE"]),
    ("mig-missing", "too-many-1g", NODES, ["CAPACITY"]),
    ("mig-missing", "gpu-and-mig", NODES, ["QUEUE", "CAPACITY", "MIG_LAYOUT"]),
    ("queue-closed", "late-1", "QUEUE_CLOSED", ["QUEUE"]),
    ("queue-missing", "lost-gang-0", "QUEUE_UNKNOWN", ["QUEUE"]),
]


def found(recording, name):
    fleet = recorded(recording, a_config(hierarchy=True))
    (pod,) = (one for one in fleet.listings.pods.rows.values() if one.name == name)
    return diagnose(pod, fleet)


@pytest.mark.parametrize(("recording", "name", "code", "failing"), WAITING)
def test_the_first_check_that_fails_gives_the_code(recording, name, code, failing):
    diagnosis = found(recording, name)

    failed = [step.check.value for step in diagnosis.steps if step.outcome is FAIL]
    assert (diagnosis.code.value, failed) == (code, failing)


def test_each_of_two_checks_that_fail_says_that_the_other_does_too():
    texts = [one.text.rpartition("; ")[2] for one in found("gang-overcommit", "llm-0").remedies]

    assert texts == [
        "not enough by itself, for GANG fails too",
        "not enough by itself, for QUEUE fails too",
    ]


def test_what_no_node_has_is_one_fault_to_the_queue_and_to_the_nodes():
    (remedy,) = found("mig-missing", "gpu-and-mig").remedies

    assert remedy.action.value == "CHANGE_MIG_LAYOUT"
    assert remedy.text.endswith("; whether a node then takes it is not known")


def test_what_idle_cards_would_give_is_promised_and_no_more():
    (remedy,) = found("mig-missing", "too-many-1g").remedies

    assert remedy.text == (
        "cut 1 whole card of mig-e3, which nobody holds, into 1 x 1g.10gb; then it fits on mig-e3"
    )
