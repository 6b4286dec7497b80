# ruff: noqa: E501 - messages stand as they are written

import pytest

from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.reason import PendingCode
from tests.recorded_scheduler import lines

SHORT = "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in flavor a100, 4 more needed"
TOO_MUCH = (
    "couldn't assign flavors to pod set main: insufficient quota for nvidia.com/gpu in flavor a100, previously considered "
    "podsets requests (0) + current podset request (16) > maximum capacity (8)"
)


@pytest.mark.parametrize(
    ("text", "code", "resources"),
    [
        (SHORT, PendingCode.QUEUE_FULL, ["nvidia.com/gpu"]),
        (TOO_MUCH, PendingCode.QUEUE_FULL, ["nvidia.com/gpu"]),
        (
            f"{SHORT}, insufficient unused quota for cpu in flavor b, 2 more needed",
            PendingCode.QUEUE_FULL,
            ["nvidia.com/gpu", "cpu"],
        ),
        (
            f"{SHORT}. Pending the preemption of 1 workload(s)",
            PendingCode.WAITING_FOR_PREEMPTION,
            [None, "nvidia.com/gpu"],
        ),
        (
            "untolerated taint {nvidia.com/gpu present NoSchedule <nil>} in flavor a100",
            PendingCode.UNTOLERATED_TAINT,
            [None],
        ),
        ("flavor a100 doesn't match node affinity", PendingCode.NODE_AFFINITY, [None]),
        ("ClusterQueue team-a doesn't exist", PendingCode.QUEUE_UNKNOWN, [None]),
        ("LocalQueue team-a is inactive", PendingCode.QUEUE_CLOSED, [None]),
    ],
)
def test_reads_kueue(text, code, resources):
    reason = read_message(text)

    assert (reason.code, [part.resource for part in reason.parts]) == (code, resources)


@pytest.mark.parametrize(
    ("text", "resource"),
    [
        (
            "Pod was rejected: Node didn't have enough resource: nvidia.com/gpu, requested: 1, used: 8, capacity: 8",
            "nvidia.com/gpu",
        ),
        (
            (
                "Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 2, "
                "Available: 0, which is unexpected"
            ),
            "nvidia.com/gpu",
        ),
        (
            (
                "Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate unhealthy devices "
                "nvidia.com/mig-1g.10gb, which is unexpected"
            ),
            "nvidia.com/mig-1g.10gb",
        ),
        ("OutOfnvidia.com/gpu", "nvidia.com/gpu"),
        ("Resources cannot be allocated with Topology locality", None),
        ("Pod was rejected: Predicate NodeAffinity failed", None),
    ],
)
def test_reads_what_the_kubelet_turned_down(text, resource):
    reason = read_message(text)

    assert [(part.code, part.resource) for part in reason.parts] == [
        (PendingCode.KUBELET_ADMISSION, resource)
    ]


@pytest.mark.parametrize(
    ("text", "resources"),
    [
        (
            (
                'Error creating: pods "train-0" is forbidden: exceeded quota: team, requested: cpu=1,requests.nvidia.com/gpu=8, '
                "used: cpu=9,requests.nvidia.com/gpu=32, limited: cpu=9,requests.nvidia.com/gpu=32"
            ),
            ["cpu", "nvidia.com/gpu"],
        ),
        ('pods "a" is forbidden: failed quota: team: must specify limits.memory for: main', ["memory"]),
        ("resource quota insufficient, requested: cpu 1, used: cpu 2, limited: cpu 2", [None]),
    ],
)
def test_names_the_keys_of_a_quota_that_refused(text, resources):
    reason = read_message(text)

    assert (reason.code, [part.resource for part in reason.parts]) == (PendingCode.QUOTA_EXCEEDED, resources)


def test_a_quota_that_does_not_say_what_was_asked_is_a_quota_all_the_same():
    reason = read_message("exceeded quota: gpus, requested: , used: , limited: ")

    assert reason.code is PendingCode.QUOTA_EXCEEDED


def test_names_every_resource_that_a_limit_range_refused():
    reason = read_message(
        'pods "a" is forbidden: [maximum memory usage per Container is 400M, but limit is 500M, '
        "cpu max limit to request ratio per Container is 3, but provided ratio is 5.000000]"
    )

    assert (reason.code, {part.resource for part in reason.parts}) == (
        PendingCode.LIMIT_RANGE,
        {"memory", "cpu"},
    )


def test_reads_what_a_real_api_server_refused():
    told = {
        one["name"]: read_message(one["status"]["message"])
        for one in lines("refusals.jsonl")
        if one.get("status")
    }
    codes = {name: reason.code for name, reason in told.items()}

    assert codes["gpu-half"] is codes["gpu-request-only"] is codes["name-bare"] is PendingCode.MISCONFIGURED
    assert codes["priority-class-missing"] is codes["runtime-class-missing"] is PendingCode.MISCONFIGURED
    assert codes["quota-gpu/beyond"] is PendingCode.QUOTA_EXCEEDED
    assert {name for name, code in codes.items() if code is PendingCode.OTHER} == {
        "overhead-without-class",
        "policy-without-class",
        "priority-by-number",
    }


def test_gated_pods_were_never_tried():
    text = "Scheduling is blocked due to non-empty scheduling gates"

    assert read_message(text).code is PendingCode.SCHEDULING_GATED


def test_knows_the_gangs_of_kube_scheduler():
    text = "waiting for minCount pods from a gang to appear in scheduling queue"

    assert read_message(text).code is PendingCode.GANG_NOT_READY


def test_keeps_text_that_was_never_seen():
    reason = read_message("the moon is in the wrong house")

    assert (reason.code, reason.parts[0].text) == (PendingCode.OTHER, "the moon is in the wrong house")
