# ruff: noqa: E501 - messages stand as they are written

import pytest

from gateway.fleet.reasons.key import reason_key
from gateway.fleet.reasons.message import read_message

GANG = "tasks in gang unschedulable: pod group is not ready"
LACKS = "nodes are available: 2 Insufficient nvidia.com/gpu"


@pytest.mark.parametrize(
    ("one", "another"),
    [
        (f"0/2 {LACKS}.", "0/9 nodes are available: 9 Insufficient nvidia.com/gpu."),
        (
            f"0/3 {LACKS}, 3 Insufficient cpu.",
            "0/20 nodes are available: 10 Insufficient cpu, 9 Insufficient nvidia.com/gpu.",
        ),
        (
            f"0/2 {LACKS}.",
            f"0/2 {LACKS}. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
        ),
        (
            "Pod a/b can possibly be assigned to gpu-1, once minAvailable is satisfied",
            "Pod a/b can possibly be assigned to gpu-22, once minAvailable is satisfied",
        ),
        (
            f"1/2 {GANG}, 1 Pending, 2 minAvailable; Pending: 1 Unschedulable",
            f"12/12 {GANG}, 10 minAvailable, 12 Pending; Pending: 12 Unschedulable",
        ),
        (
            "queue resource quota insufficient: insufficient nvidia.com/gpu, insufficient cpu",
            "queue resource quota insufficient: insufficient cpu, insufficient nvidia.com/gpu",
        ),
        (f"(combined from similar events): 0/2 {LACKS}.", f"0/2 {LACKS}."),
    ],
)
def test_counts_order_and_names_of_nodes_do_not_matter(one, another):
    assert reason_key(read_message(one)) == reason_key(read_message(another))


@pytest.mark.parametrize(
    ("one", "another"),
    [
        (f"0/2 {LACKS}.", "0/2 nodes are available: 2 Insufficient nvidia.com/mig-1g.10gb."),
        (
            "0/1 nodes are available: 1 Insufficient nvidia.com/mig-1g.10gb.",
            "0/1 nodes are available: 1 Insufficient nvidia.com/mig-1g.20gb.",
        ),
        (
            f"0/2 {LACKS}.",
            f"0/2 {LACKS}. preemption: not eligible due to a terminating pod on the nominated node.",
        ),
        ("the moon is in house 3", "the sun is in house 3"),
    ],
)
def test_other_reasons_are_told_apart(one, another):
    assert reason_key(read_message(one)) != reason_key(read_message(another))
