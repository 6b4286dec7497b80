from dataclasses import replace

import pytest

from tests.builders import a_record, some_records
from tests.fleet.diagnosis.pod.cases import FAIL, PASS, WARN, advice, diagnosed, step, told
from tests.fleet.scheduling.scenes import node, pod
from tests.wishes import a_desired

TEAM = {"key": "team", "value": "a", "effect": "NoSchedule"}


def taints(ask, *nodes):
    return step(diagnosed(ask, nodes), "TAINTS")


def test_a_cordon_fails_where_every_node_has_one():
    found = taints(pod(), node("a", cordoned=True), node("b", cordoned=True))

    assert (found.outcome, found.finding) == (FAIL, "kept away by each of the 2 nodes: cordoned: a, b")
    assert told(found)["nodes/a spec.unschedulable"] == "true"
    assert advice(found)[0] == ("UNCORDON", "uncordon a; then it fits on a")


def test_a_cordon_and_its_own_taint_are_one_thing():
    own = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}

    diagnosis = diagnosed(pod(), [node("a", cordoned=True, taints=[own])])

    assert step(diagnosis, "TAINTS").finding == "kept away by the only node: cordoned: a"
    assert advice(diagnosis) == [("UNCORDON", "uncordon a; then it fits on a")]


def test_who_wanted_a_cordon_and_why_is_told():
    desired = replace(a_desired(), cordoned=True, cordon_reason="Xid 79", changed_by="ada")
    records = some_records([replace(a_record("a"), desired=desired)])

    diagnosis = diagnosed(pod(), [node("a", cordoned=True)], records=records)

    assert advice(diagnosis) == [("UNCORDON", "uncordon a (cordoned by ada: Xid 79); then it fits on a")]


def test_it_warns_where_another_node_is_left():
    found = taints(pod(), node("a", taints=[TEAM]), node("b"))

    assert (found.outcome, found.finding) == (WARN, "kept away by 1 of 2 nodes: taint team=a:NoSchedule on a")


def test_no_taint_keeps_it_away():
    assert taints(pod(), node()).outcome is PASS


@pytest.mark.parametrize(
    ("toleration", "near"),
    [
        ({"key": "team", "operator": "Equal", "value": "b"}, " (it is tolerated with Equal 'b' alone)"),
        (
            {"key": "team", "operator": "Exists", "effect": "NoExecute"},
            " (it is tolerated with effect NoExecute alone)",
        ),
        ({"key": "crew", "operator": "Exists"}, ""),
    ],
)
def test_a_toleration_that_nearly_does_is_named(toleration, near):
    found = taints(pod(tolerations=[toleration]), node("a", taints=[TEAM]))

    assert found.finding == f"kept away by the only node: taint team=a:NoSchedule on a{near}"


def test_what_to_tolerate_is_the_taint_as_it_is_written():
    found = taints(pod(), node("a", taints=[TEAM]))

    assert advice(found) == [("ADD_TOLERATION", "tolerate team=a:NoSchedule; then it fits on a")]


def test_a_taint_that_tells_of_illness_is_no_matter_of_tolerations():
    ill = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}

    found = taints(pod(), node("a", taints=[ill]))

    assert advice(found) == [("REPAIR_NODE", "mend a: Kubernetes taints it not-ready; then it fits on a")]


def test_a_change_that_only_uncovers_the_next_reason_says_so():
    found = taints(pod(asks={"nvidia.com/gpu": "8"}), node("a", taints=[TEAM], cordoned=True))

    uncovers = "not enough by itself, for a then says: node(s) had untolerated taint(s)"
    assert advice(found) == [
        ("UNCORDON", f"change 1 of 2: uncordon a; {uncovers}"),
        ("ADD_TOLERATION", "change 2 of 2: tolerate team=a:NoSchedule; then it fits on a"),
    ]


def test_a_machine_that_only_the_records_know_does_not_make_the_others_offer_what_they_do_not():
    records = some_records([a_record("a"), a_record("gone")])

    diagnosis = diagnosed(
        pod(asks={"nvidia.com/mig-3g.40gb": "1"}), [node("a", cordoned=True)], records=records
    )

    assert step(diagnosis, "TAINTS").finding == "kept away by the only node: cordoned: a"
    assert diagnosis.verdict == "it does not fit on the only node: 1 node(s) were unschedulable"
