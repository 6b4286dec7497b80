# ruff: noqa: E501 - messages stand as they are written

import json
from pathlib import Path

import pytest

from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.reason import PendingCode

RECORDINGS = Path(__file__).parents[2] / "recordings" / "volcano"


def recorded():
    for file in sorted((*RECORDINGS.glob("*-pods.json"), *RECORDINGS.glob("*-podgroups.json"))):
        for item in json.loads(file.read_text(encoding="utf-8"))["items"]:
            for condition in item.get("status", {}).get("conditions") or ():
                if condition["type"] in {"PodScheduled", "Unschedulable"} and condition.get("message"):
                    yield condition["message"]


def test_knows_every_recorded_message():
    codes = {message: read_message(message).code for message in recorded()}

    assert {message for message, code in codes.items() if code is PendingCode.OTHER} == set()
    assert {PendingCode.INSUFFICIENT_RESOURCE, PendingCode.GANG_NOT_READY} <= set(codes.values())


def test_reads_what_the_nodes_said_to_the_gang():
    reason = read_message(
        "2/4 tasks in gang unschedulable: pod group is not ready, 2 Pending, 2 Pipelined, 4 minAvailable; Pending: 2 "
        "Unschedulable. Origin reason is llm-0: 0/5 nodes are unavailable: 1 node(s) were unschedulable, "
        "4 Insufficient nvidia.com/gpu."
    )

    assert (reason.code, reason.total_nodes, reason.placed) == (PendingCode.INSUFFICIENT_RESOURCE, 5, False)
    assert [(part.nodes, part.code, part.resource) for part in reason.parts] == [
        (1, PendingCode.CORDONED, None),
        (4, PendingCode.INSUFFICIENT_RESOURCE, "nvidia.com/gpu"),
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            "0/0 tasks in gang unschedulable: pod group is not ready, 2 minAvailable",
            PendingCode.GANG_NOT_READY,
        ),
        (
            "pod group is not ready, 1 Pending, 1 minAvailable; Pending: 1 Unschedulable",
            PendingCode.GANG_NOT_READY,
        ),
        (
            "Pod a/b can possibly be assigned to gpu-1, once minAvailable is satisfied",
            PendingCode.GANG_NOT_READY,
        ),
        (
            "1/1 tasks in gang unschedulable: pod group is not ready, 1 Releasing, 1 minAvailable",
            PendingCode.RELEASING,
        ),
        ("1/0 tasks in gang unschedulable: 0 nodes are available", PendingCode.NO_NODES),
        (
            "0/3 nodes are unavailable: 1 Insufficient pods, 2 node(s) were unschedulable.",
            PendingCode.TOO_MANY_PODS,
        ),
        (
            (
                "1/1 tasks in gang unschedulable: pod group is not ready, 1 Pipelined, 1 minAvailable. "
                "Origin reason is infer-0: 0/2 nodes are unavailable: 2 Insufficient nvidia.com/gpu."
            ),
            PendingCode.RELEASING,
        ),
        (
            (
                "PodGroup mpi:half unschedulable, reason: 2/4 tasks in gang unschedulable: pod group is not ready, "
                "2 minAvailable, 4 Pending; Pending: 4 Unschedulable. Origin reason is half-worker-0: "
                "0/2 nodes are unavailable: 2 node(s) didn't match Pod's node affinity/selector."
            ),
            PendingCode.NODE_AFFINITY,
        ),
        (
            (
                '0/6 nodes are unavailable: 6 plugin VolumeZone pre-predicates failed persistentvolumeclaim "absent" not '
                "found."
            ),
            PendingCode.VOLUME,
        ),
    ],
)
def test_tells_why_a_gang_waits(text, code):
    reason = read_message(text)

    assert (reason.code, reason.placed) == (code, False)


@pytest.mark.parametrize(
    "text",
    [
        "0/2 tasks in gang unschedulable: pod group is ready, 1 minAvailable, 2 Binding",
        "0/1 tasks in gang unschedulable: pod group is not ready, 1 Binding, 1 minAvailable",  # 1.13
        "pod group is ready",
    ],
)
def test_takes_the_warning_of_a_bind_for_no_reason_to_wait(text):
    assert read_message(text).placed


def test_does_not_take_a_gang_that_runs_short_for_placed():
    text = "0/1 tasks in gang unschedulable: pod group is not ready, 1 Running, 2 minAvailable"

    assert not read_message(text).placed


@pytest.mark.parametrize(
    ("text", "code", "resources"),
    [
        (
            "queue resource quota insufficient: insufficient nvidia.com/gpu, insufficient cpu",
            PendingCode.QUEUE_FULL,
            {"nvidia.com/gpu", "cpu"},
        ),
        ("queue resource quota insufficient", PendingCode.QUEUE_FULL, {None}),  # before 1.13
        (
            "resource in cluster is overused: overused nvidia.com/mig-1g.10gb",
            PendingCode.ENQUEUE_LIMIT,
            {"nvidia.com/mig-1g.10gb"},
        ),
    ],
)
def test_names_what_the_queue_refused(text, code, resources):
    reason = read_message(text)

    assert (reason.code, {part.resource for part in reason.parts}) == (code, resources)
