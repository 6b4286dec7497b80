"""What kube-scheduler said of every recorded pod and node, beside what the gateway says."""

import json

import pytest

from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.histogram import histogram
from gateway.fleet.scheduling.preemption import preemption, prospect
from gateway.fleet.scheduling.resources import available, held
from gateway.fleet.scheduling.verdict import verdicts
from gateway.fleet.scheduling.view import view_of
from gateway.fleet.unknown import Unknown
from tests.recorded_scheduler import FLEETS, RECORDINGS, accounts, asks, read_fleet

VOLUMES = {"ephemeral-volume", "pvc-missing", "pvc-on-one-node", "pvc-unbound"}


def namespaces(fleet):
    listed = json.loads((RECORDINGS / fleet / "namespaces.json").read_text(encoding="utf-8"))["items"]
    return {one["metadata"]["name"]: one["metadata"].get("labels", {}) for one in listed}


def judged(fleet, *, volumes=False):
    """Each ask with its pod, what is said of it, and the view that this was said from."""
    pods, nodes = read_fleet(fleet)
    view = view_of(nodes, namespaces(fleet))
    for ask in asks(fleet):
        if bool(VOLUMES & set(ask["features"])) is volumes and ask["nodes"]:
            pod = pods[ask["namespace"], ask["name"]]
            yield ask, pod, verdicts(pod, view), view


def refused(ask):
    condition = ask["condition"]
    return condition is not None and condition["reason"] == "Unschedulable"


def ours(verdict):
    texts = sorted(reason.text for reason in verdict.reasons)
    return verdict.fits, texts, verdict.resolvable


def theirs(told):
    return told["fits"], sorted(told["reasons"]), told.get("resolvable", False)


@pytest.mark.parametrize("fleet", FLEETS)
def test_says_of_every_pod_and_node_what_kube_scheduler_said(fleet):
    for ask, _, said, _ in judged(fleet):
        told = {name: theirs(one) for name, one in ask["nodes"].items()}
        assert {one.node: ours(one) for one in said} == told, ask["name"]


@pytest.mark.parametrize("fleet", FLEETS)
def test_says_nothing_where_volumes_decide_and_else_what_kube_scheduler_said(fleet):
    for ask, _, said, _ in judged(fleet, volumes=True):
        known = {one.node: ours(one) for one in said if not isinstance(one.fits, Unknown)}
        assert known == {name: theirs(ask["nodes"][name]) for name in known}, ask["name"]


def test_judged_as_many_as_were_recorded():
    counts = [
        sum(len(said) for fleet in FLEETS for _, _, said, _ in judged(fleet, volumes=volumes))
        for volumes in (False, True)
    ]

    assert counts == [1090, 68]


@pytest.mark.parametrize("fleet", FLEETS)
def test_adds_up_to_the_message_that_kube_scheduler_wrote(fleet):
    for ask, _, said, _ in judged(fleet):
        if refused(ask):
            parts = histogram(reason for verdict in said for reason in verdict.reasons)
            assert parts == read_message(ask["condition"]["message"]).parts, ask["name"]


@pytest.mark.parametrize("fleet", FLEETS)
def test_tells_what_evicting_would_bring_as_kube_scheduler_does(fleet):
    for ask, pod, said, view in judged(fleet):
        by_node = {one.node: one for one in said}
        for name, told in ask.get("preemptionByNode", {}).items():
            assert prospect(pod, by_node[name], view).helps is told["helps"], (ask["name"], name)
        told = read_message(ask["condition"]["message"]).preemption if refused(ask) else ()
        if told and pod.preempts:
            reasons = (reason for one in said for reason in prospect(pod, one, view).reasons)
            assert histogram(reasons) == told, ask["name"]


@pytest.mark.parametrize("fleet", FLEETS)
def test_knows_which_pods_wait_for_victims_to_leave(fleet):
    for ask, pod, said, view in judged(fleet):
        if refused(ask):
            waits = bool(ask.get("preemption"))
            expected = PendingCode.WAITING_FOR_PREEMPTION if waits else PendingCode.PREEMPTION_IMPOSSIBLE
            assert preemption(pod, said, view) is expected, ask["name"]


@pytest.mark.parametrize("fleet", FLEETS)
def test_counts_what_every_node_has_and_holds_as_kube_scheduler_does(fleet):
    view = view_of(read_fleet(fleet)[1])

    for name, told in accounts(fleet).items():
        candidate = view.candidates[name]
        for written in {*told["allocatable"], *told["requested"]} - {"pods"}:
            resource = "cpu" if written == "cpu_milli" else written
            sums = (available(candidate, resource), held(candidate.pods, resource))
            assert sums == (told["allocatable"].get(written, 0), told["requested"].get(written, 0)), written
        assert (available(candidate, "pods"), len(candidate.pods)) == (
            told["allocatable"]["pods"],
            told["pods"],
        )
