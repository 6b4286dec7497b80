from dataclasses import replace

import pytest

from gateway.fleet.beside import Beside
from gateway.fleet.health_reason import HealthCode
from gateway.fleet.leftover import agrees, discovers
from gateway.fleet.unknown import Unknown
from tests.builders import a_node, a_pod
from tests.fleets import FRESH, NEVER, NODES, PODS, a_keeper, a_machine
from tests.gpu_labels import GPU, SHARED_GPU, mixed, shared, single, whole

SLICES = "nvidia.com/mig-1g.10gb"
SEVENTHS = {f"{SLICES}.count": "14"}


def discovery(node, name=None, owner="DaemonSet/gpu-feature-discovery", **more):
    """A pod of gpu-feature-discovery on a node."""
    pod = a_pod(name or f"gfd-{node}", node, {}, namespace="gpu-operator", **more)
    return replace(pod, controller=owner)


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        (discovery("gpu-01"), True),
        (discovery("gpu-01", owner="DaemonSet/nvdp-nvidia-device-plugin-gpu-feature-discovery"), True),
        (discovery("gpu-01", phase="Pending"), True),
        (discovery("gpu-01", phase="Failed"), False),
        (discovery(None), False),
        (discovery("gpu-01", owner="DaemonSet/nvidia-dcgm-exporter"), False),
        (discovery("gpu-01", owner="ReplicaSet/gpu-feature-discovery"), False),
        (discovery("gpu-01", owner=None), False),
    ],
)
def test_knows_the_pods_of_gpu_feature_discovery(pod, expected):
    assert discovers(pod) is expected


AGREEING = {
    "as many cards": (a_node(), True),
    "fewer": (a_node(capacity={GPU: 7}), False),
    "more": (a_node(capacity={GPU: 16}), False),
    "none": (a_node(capacity={}), False),
    "as many shares": (a_node(labels=shared(2, 4), capacity={GPU: 8}), True),
    "as many shares, renamed": (a_node(labels=shared(2, 4), capacity={GPU: 0, SHARED_GPU: 8}), True),
    "fewer shares": (a_node(labels=shared(2, 4), capacity={GPU: 2}), False),
    "as many slices": (a_node(labels=single(14, "1g.10gb"), capacity={GPU: 14}), True),
    "whole cards where slices were": (a_node(labels=single(14, "1g.10gb"), capacity={GPU: 2}), False),
    "as many slices beside cards": (
        a_node(labels=mixed(8) | SEVENTHS, capacity={GPU: 6, SLICES: 14}),
        True,
    ),
    "other slices": (a_node(labels=mixed(8) | SEVENTHS, capacity={GPU: 6, SLICES: 7}), False),
    "slices that are gone": (a_node(labels=mixed(8) | SEVENTHS, capacity={GPU: 8}), False),
    "an unreadable capacity": (a_node(capacity={GPU: "8 cards"}), False),
    "an unreadable label": (a_node(labels=whole("8 cards"), capacity={GPU: 8}), False),
}


@pytest.mark.parametrize(("node", "expected"), AGREEING.values(), ids=AGREEING.keys())
def test_labels_agree_where_the_capacity_is_what_they_count(node, expected):
    assert agrees(node) is expected


def test_labels_that_are_left_over_decide_only_where_they_agree():
    left = Beside(labels_left=True)
    right, wrong = (a_machine(a_node(capacity={GPU: count}), beside=left) for count in (8, 4))

    assert right.gpus.cards == 8
    assert isinstance(wrong.gpus.cards, Unknown)
    assert "and not here" in wrong.gpus.cards.reason
    for node in (right, wrong):
        assert HealthCode.LABELS_STALE in {reason.code for reason in node.health.reasons}
    assert right.health.healthy is True


def codes(keeper, name):
    return {reason.code for reason in keeper.pin().node("fleet", name).health.reasons}


def test_labels_are_left_over_where_discovery_runs_on_other_nodes_only():
    keeper = a_keeper([a_node("gpu-01"), a_node("gpu-02")])
    assert HealthCode.LABELS_STALE not in codes(keeper, "gpu-01") | codes(keeper, "gpu-02")

    keeper.change(PODS, {("gpu-operator", "gfd-1"): discovery("gpu-01")}, FRESH)
    assert HealthCode.LABELS_STALE not in codes(keeper, "gpu-01")
    assert HealthCode.LABELS_STALE in codes(keeper, "gpu-02")

    keeper.change(PODS, {("gpu-operator", "gfd-2"): discovery("gpu-02")}, FRESH)
    assert HealthCode.LABELS_STALE not in codes(keeper, "gpu-02")

    keeper.change(PODS, {("gpu-operator", "gfd-1"): None}, FRESH)
    assert HealthCode.LABELS_STALE in codes(keeper, "gpu-01")

    keeper.change(PODS, {("gpu-operator", "gfd-2"): None}, FRESH)
    assert HealthCode.LABELS_STALE not in codes(keeper, "gpu-01") | codes(keeper, "gpu-02")


def test_a_pod_that_takes_the_place_of_another_leaves_no_gap():
    keeper = a_keeper([a_node("gpu-01"), a_node("gpu-02")], [discovery("gpu-01"), discovery("gpu-02")])
    renewed = {("gpu-operator", "gfd-gpu-01"): None, ("gpu-operator", "new"): discovery("gpu-01", "new")}

    keeper.change(PODS, renewed, FRESH)

    assert HealthCode.LABELS_STALE not in codes(keeper, "gpu-01") | codes(keeper, "gpu-02")


@pytest.mark.parametrize(
    "labels",
    [
        {},
        {"nvidia.com/mig.config.state": "pending"},
        {"nvidia.com/gpu.deploy.gpu-feature-discovery": "paused-for-mig-change"},
    ],
    ids=["no labels", "a MIG change", "a pause for one"],
)
def test_where_discovery_rests_or_never_was_nothing_is_left_over(labels):
    node = a_node("gpu-02", labels=whole() | labels if labels else {}, capacity={GPU: 8})
    keeper = a_keeper([a_node("gpu-01"), node], [discovery("gpu-01")])

    assert HealthCode.LABELS_STALE not in codes(keeper, "gpu-02")


def test_silent_pods_say_nothing_of_where_discovery_runs():
    keeper = a_keeper([a_node("gpu-01"), a_node("gpu-02")], [discovery("gpu-01")])
    keeper.touch(PODS, NEVER)

    assert HealthCode.LABELS_STALE not in codes(keeper, "gpu-02")


def test_a_node_that_comes_later_is_judged_as_the_others():
    keeper = a_keeper([a_node("gpu-01")], [discovery("gpu-01")])
    keeper.change(NODES, {"gpu-02": a_node("gpu-02")}, FRESH)

    assert HealthCode.LABELS_STALE in codes(keeper, "gpu-02")
