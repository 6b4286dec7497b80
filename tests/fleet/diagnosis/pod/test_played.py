"""What is found of generated pods, beside what kube-scheduler 1.36.3 said of them and did."""

import msgspec
import pytest

from gateway.fleet.diagnosis.pod.case import case_of
from gateway.fleet.diagnosis.pod.diagnose import diagnose
from gateway.fleet.reasons.message import read_message
from gateway.sources.kubernetes.nodes import read_node
from gateway.sources.kubernetes.pods import read_pod
from tests.builders import CLUSTER
from tests.fleet.diagnosis.pod.cases import FAIL, judge_again, keeper_of
from tests.played.generator import NAMESPACES
from tests.recorded_scheduler import lines

WAITING = "WAITING_FOR_PREEMPTION"
PLAYED = lines("played.jsonl")


def found(played):
    """Each ask with its pod and the fleet that it asks in, without the others' asks."""
    nodes = [read_node(CLUSTER, _raw(one), []) for one in played["nodes"]]
    running = [read_pod(CLUSTER, _raw(one), []) for one in played["pods"]]
    for ask in played["asks"]:
        pod = read_pod(CLUSTER, _raw(ask["pod"]), [])
        yield ask, pod, keeper_of(nodes, [*running, pod], NAMESPACES).pin()


@pytest.mark.parametrize("played", PLAYED, ids=range(len(PLAYED)))
def test_the_code_is_that_of_the_message_or_of_the_eviction_that_it_was_followed_by(played):
    for ask, pod, seen in found(played):
        diagnosis = diagnose(pod, seen)
        failed = [step.check.value for step in diagnosis.steps if step.outcome is FAIL]
        if ask["boundTo"]:
            assert (diagnosis.code, failed) == (None, [])
            continue
        told = read_message(ask["message"])
        tried_in_vain = told.preemption or ask["message"].endswith("not found")
        assert failed
        assert diagnosis.code.value == (told.code.value if tried_in_vain else WAITING), ask["message"]


@pytest.mark.parametrize("played", PLAYED, ids=range(len(PLAYED)))
def test_after_each_change_a_node_says_what_it_would_say_in_the_whole_cluster(played):
    for _, pod, seen in found(played):
        judge_again(case_of(pod, seen))


def _raw(body):
    return msgspec.Raw(msgspec.json.encode(body))
