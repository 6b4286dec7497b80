"""What is found of every recorded pod, beside what kube-scheduler said of it and did."""

from collections import Counter

import pytest

from gateway.fleet.diagnosis.pod.case import case_of
from gateway.fleet.diagnosis.pod.diagnose import diagnose
from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.unknown import Unknown
from tests.fleet.diagnosis.pod.cases import FAIL, judge_again, recorded
from tests.recorded_scheduler import FLEETS, asks


def said(ask):
    """The code of what kube-scheduler wrote; None where it wrote nothing."""
    condition = ask["condition"]
    if condition is None:
        return None
    if condition["reason"] == "SchedulingGated":
        return PendingCode.SCHEDULING_GATED
    return (
        PendingCode.WAITING_FOR_PREEMPTION
        if ask.get("preemption")
        else read_message(condition["message"]).code
    )


def found(fleet):
    pods, seen = recorded(fleet)
    for ask in asks(fleet):
        yield ask, diagnose(pods[ask["namespace"], ask["name"]], seen)


def is_volcanos(ask):
    return "other-scheduler" in ask["features"]


@pytest.mark.parametrize("fleet", FLEETS)
def test_the_code_is_that_of_what_kube_scheduler_wrote(fleet):
    codes = {
        ask["name"]: (diagnosis.code, said(ask)) for ask, diagnosis in found(fleet) if not is_volcanos(ask)
    }

    assert {name: code for name, (code, told) in codes.items() if code is not told} == {}


@pytest.mark.parametrize("fleet", FLEETS)
def test_a_check_fails_where_a_pod_was_refused_and_none_where_it_was_placed(fleet):
    for ask, diagnosis in found(fleet):
        failed = [step.check.value for step in diagnosis.steps if step.outcome is FAIL]
        if "boundTo" in ask:
            assert failed == [], ask["name"]
        elif said(ask) and not _is_open(diagnosis):
            assert failed, ask["name"]


def _is_open(diagnosis):
    return any(isinstance(one.verdict.fits, Unknown) for one in diagnosis.nodes)


def test_as_many_as_were_recorded_and_null_only_where_volumes_or_claims_decide():
    counts, open_features = Counter(), set()
    for fleet in FLEETS:
        for ask, diagnosis in found(fleet):
            counts["pods"] += 1
            for one in diagnosis.nodes:
                told = ask["nodes"].get(one.node.name)
                if isinstance(one.verdict.fits, Unknown):
                    counts["null"] += 1
                    open_features.update(ask["features"])
                elif told:
                    counts["agrees" if told["fits"] is one.verdict.fits else "differs"] += 1

    assert counts == {"pods": 178, "agrees": 1103, "null": 67}
    assert open_features >= {"pvc-missing", "pvc-unbound", "pvc-on-one-node", "ephemeral-volume"}


@pytest.mark.parametrize("fleet", FLEETS)
def test_after_each_change_a_node_says_what_it_would_say_in_the_whole_cluster(fleet):
    pods, seen = recorded(fleet)
    for ask in asks(fleet):
        judge_again(case_of(pods[ask["namespace"], ask["name"]], seen))


@pytest.mark.parametrize("fleet", FLEETS)
def test_every_remedy_says_whether_it_is_enough(fleet):
    for ask, diagnosis in found(fleet):
        waits = diagnosis.code is not None and not is_volcanos(ask) and diagnosis.code is not GATED
        for remedy in diagnosis.remedies if waits else ():
            assert any(words in remedy.text for words in WORDS), (ask["name"], remedy.text)


GATED = PendingCode.SCHEDULING_GATED
WORDS = ("then it fits", "not enough by itself", "is not known", "no change of one node is known")
