import pytest

from gateway.fleet.diagnosis.pod.words import amount
from tests.fleet.diagnosis.pod.cases import (
    FAIL,
    GPU,
    PASS,
    UNKNOWN,
    WARN,
    advice,
    checks,
    diagnosed,
    step,
    told,
)
from tests.fleet.scheduling.scenes import node, pod

SLICE = "nvidia.com/mig-1g.10gb"


def has(gpus=8, **more):
    return {"cpu": "8", "memory": "32Gi", GPU: str(gpus), "pods": "10", **more}


def capacity(ask, nodes, pods=()):
    return step(diagnosed(ask, nodes, pods), "CAPACITY")


def test_what_no_node_offers():
    found = capacity(pod(asks={SLICE: "1"}), [node("a")])

    assert (found.outcome, found.finding) == (FAIL, f"it asks for 1 of {SLICE}, and no node offers any")


def test_what_is_too_much_for_every_node_whatever_runs():
    found = capacity(pod(asks={GPU: "16"}), [node("a"), node("b", has=has(4))])

    assert found.finding == f"it asks for 16 of {GPU}, and no node has more than 8, whatever runs there"
    assert advice(found)[0] == ("CHANGE_REQUEST", f"ask for at most 8 of {GPU} in one pod; then it fits on a")


def test_what_others_hold():
    running = [pod("train", on="a", asks={GPU: "6"})]

    found = capacity(pod(asks={GPU: "4"}), [node("a")], running)

    assert found.finding == f"it asks for 4 of {GPU}: of 1 node with {GPU} a has most left, 2"
    assert told(found) == {
        f"pods/vision/ask requests[{GPU}]": "4",
        f"nodes/a status.allocatable[{GPU}]": "8",
        f"pods on a requests[{GPU}]": "6",
    }
    assert advice(found) == [
        ("FREE_WORKLOADS", f"free 2 {GPU} on a, of vision/train for instance; then it fits on a")
    ]


def test_the_fewest_pods_that_hold_enough_are_named():
    running = [pod(f"p{at}", on="a", asks={GPU: str(at)}) for at in (1, 2, 5)]

    found = capacity(pod(asks={GPU: "2"}), [node("a")], running)

    assert advice(found) == [
        ("FREE_WORKLOADS", f"free 2 {GPU} on a, of vision/p2 for instance; then it fits on a")
    ]


def test_pods_that_are_leaving_are_waited_for():
    running = [pod("train", on="a", asks={GPU: "6"}, leaving=True)]

    found = capacity(pod(asks={GPU: "4"}), [node("a")], running)

    assert advice(found) == [("WAIT", "wait for vision/train to leave a, which was begun; then it fits on a")]


def test_one_node_lacks_this_and_the_other_that():
    nodes = [node("a", has=has(8, cpu="1")), node("b", has=has(1))]

    found = capacity(pod(asks={GPU: "4", "cpu": "4"}), nodes)

    assert found.outcome is FAIL
    assert found.finding.endswith("no node that is open to it has all of that at once")


def test_a_node_may_be_full_of_pods():
    found = capacity(pod(), [node("a", has=has(pods="1"))], [pod("one", on="a")])

    assert (found.outcome, found.finding) == (
        FAIL,
        "no more pods may be on a; no node that is open to it has all of that at once",
    )
    assert advice(found) == [
        ("FREE_WORKLOADS", "free a place for a pod on a, of vision/one for instance; then it fits on a")
    ]


def test_it_warns_where_some_node_has_enough():
    found = capacity(pod(asks={GPU: "8"}), [node("a"), node("b", has=has(4))])

    assert (found.outcome, found.finding) == (
        WARN,
        f"it asks for 8 of {GPU}, and 1 of 2 nodes with {GPU} have so much left",
    )


def test_nodes_that_are_open_to_it_and_offer_none_are_told_for_their_words_are_the_code():
    offering = node("a", taints=[{"key": "team", "effect": "NoSchedule"}])

    diagnosis = diagnosed(pod(asks={GPU: "1"}), [offering, node("cpu", has={"cpu": "8", "pods": "10"})])

    found = step(diagnosis, "CAPACITY")
    assert diagnosis.code.value == "INSUFFICIENT_RESOURCE"
    assert (found.outcome, found.finding) == (
        WARN,
        "nodes that offer it have so much left; open to it, and offering none: cpu",
    )


def test_an_amount_that_cannot_be_read_is_not_judged():
    diagnosis = diagnosed(pod(asks={GPU: "two"}), [node("a")])

    assert step(diagnosis, "CAPACITY").outcome is UNKNOWN
    assert "OTHER" not in checks(diagnosis)
    assert diagnosis.code is None


def test_enough_everywhere_passes():
    assert capacity(pod(asks={GPU: "8"}), [node("a")]).outcome is PASS


def test_a_cluster_without_nodes():
    diagnosis = diagnosed(pod(), [])

    assert step(diagnosis, "CAPACITY").finding == "the cluster has no nodes"
    assert diagnosis.code.value == "NO_NODES"


@pytest.mark.parametrize(
    ("resource", "units", "written"),
    [
        ("cpu", 1500, "1.5"),
        ("cpu", 2000, "2"),
        ("memory", 32 * 2**30, "32Gi"),
        ("memory", 2**30 + 2**20, "1,025Mi"),
        ("memory", 1001, "1,001 bytes"),
        (GPU, 12000, "12,000"),
    ],
)
def test_amounts_are_exact(resource, units, written):
    assert amount(resource, units) == written
