from collections import Counter

import pytest

from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.reason import PendingCode
from tests.recorded_scheduler import FLEETS, asks, lines

MESSAGES = {one["id"]: one for one in lines("messages.jsonl")}
CONDITIONS = [ask for fleet in FLEETS for ask in asks(fleet) if ask["condition"]]


def counted(parts):
    return {part.text: part.nodes for part in parts}


def preempting(told, nodes):
    if isinstance(told, str):
        return {told.removeprefix("preemption: ").rstrip("."): nodes}
    return told or {}


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES.keys())
def test_reads_the_messages_of_all_releases(message):
    reason = read_message(message["message"])

    assert reason.total_nodes == message["nodes"]
    assert counted(reason.parts) == (message["reasons"] or {message["prefilter"]: message["nodes"]})
    assert counted(reason.preemption) == preempting(message["preemption"], message["nodes"])
    assert PendingCode.OTHER not in {part.code for part in (*reason.parts, *reason.preemption)}


def test_adds_up_to_what_each_node_was_told():
    by_node = [ask for ask in CONDITIONS if ask["condition"]["reason"] == "Unschedulable"]

    for ask in by_node:
        reason = read_message(ask["condition"]["message"])
        told = Counter(text for node in ask["nodes"].values() for text in node["reasons"])
        assert (counted(reason.parts), reason.total_nodes) == (told, len(ask["nodes"])), ask["name"]

    assert len(by_node) > 80


def test_knows_every_wording_that_kube_scheduler_used():
    parts = [part for ask in CONDITIONS for part in read_message(ask["condition"]["message"]).parts]

    assert {part.text for part in parts if part.code is PendingCode.OTHER} == set()


def test_names_the_resource_that_is_short():
    parts = read_message(
        "0/3 nodes are available: 1 Too many pods, 3 Insufficient nvidia.com/gpu.shared."
    ).parts

    assert [(part.code, part.resource, part.nodes) for part in parts] == [
        (PendingCode.TOO_MANY_PODS, None, 1),
        (PendingCode.INSUFFICIENT_RESOURCE, "nvidia.com/gpu.shared", 3),
    ]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (
            "9 node(s) had untolerated taint(s), 1 Insufficient nvidia.com/gpu",
            PendingCode.INSUFFICIENT_RESOURCE,
        ),
        ("1 node(s) were unschedulable, 9 node(s) had untolerated taint(s)", PendingCode.UNTOLERATED_TAINT),
        ("2 node(s) didn't match Pod's node affinity/selector, 1 Too many pods", PendingCode.TOO_MANY_PODS),
        ("1 Insufficient cpu, 1 node(s) didn't match pod topology spread constraints", PendingCode.TOPOLOGY),
    ],
)
def test_gives_the_reason_of_the_nodes_that_came_nearest(message, code):
    assert read_message(f"0/10 nodes are available: {message}.").code is code


def test_waits_for_victims_that_are_still_leaving():
    reason = read_message(
        "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. no new claims to deallocate, "
        "preemption: not eligible due to a terminating pod on the nominated node."
    )

    assert reason.code is PendingCode.WAITING_FOR_PREEMPTION
    assert counted(reason.parts) == {"Insufficient nvidia.com/gpu": 2}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("node(s) didn't match pod affinity/anti-affinity", PendingCode.POD_AFFINITY),  # 1.17
        ("node(s) didn't satisfy existing pods anti-affinity rules", PendingCode.POD_AFFINITY),
        ("node(s) had volume node affinity conflict", PendingCode.VOLUME),
        ("node(s) had no available volume zone", PendingCode.VOLUME),
        ("node(s) exceed max volume count", PendingCode.VOLUME),
        ("node(s) didn't find available persistent volumes to bind", PendingCode.VOLUME),
        ("node(s) did not have enough free storage", PendingCode.VOLUME),
        ("node(s) didn't have free ports for the requested pod ports", PendingCode.HOST_PORT),
        ("resourceclaim not available on the node", PendingCode.RESOURCE_CLAIM),
    ],
)
def test_knows_the_wordings_of_rules_that_are_asked_for_less_often(text, code):
    assert [part.code for part in read_message(f"0/7 nodes are available: 7 {text}.").parts] == [code]


def test_reads_what_the_claim_plugin_says_in_front_of_all():
    reason = read_message(
        "0/3 nodes are available: request gpu: device class h100 does not exist. still not schedulable, "
        "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
    )

    assert [(part.nodes, part.code, part.text) for part in reason.parts] == [
        (3, PendingCode.RESOURCE_CLAIM, "request gpu: device class h100 does not exist")
    ]
    assert counted(reason.preemption) == {"Preemption is not helpful for scheduling": 3}


@pytest.mark.parametrize("text", ["no nodes available to schedule pods", "0 nodes are available"])
def test_tells_a_cluster_without_nodes(text):
    reason = read_message(text)

    assert (reason.code, reason.total_nodes) == (PendingCode.NO_NODES, 0)


def test_keeps_what_was_cut_and_what_is_new_as_it_came():
    cut = read_message("0/9 nodes are available: 1 Too many pods, 8 Insufficient nvidia.com/mig-1 ...")
    new = read_message(
        "0/2 nodes are available: 2 node(s) sleep. preemption: 0/2 nodes are available: 2 dream."
    )

    assert [(part.code, part.text) for part in cut.parts] == [
        (PendingCode.TOO_MANY_PODS, "Too many pods"),
        (PendingCode.OTHER, "Insufficient nvidia.com/mig-1 ..."),
    ]
    assert (new.code, counted(new.parts), counted(new.preemption)) == (
        PendingCode.OTHER,
        {"node(s) sleep": 2},
        {"dream": 2},
    )
