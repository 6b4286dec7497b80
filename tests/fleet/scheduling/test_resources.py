import pytest

from gateway.fleet.scheduling.verdict import verdicts
from tests.fleet.scheduling.scenes import ROOM, node, pod, said, view

GPU, SLICE = "nvidia.com/gpu", "nvidia.com/mig-1g.10gb"


def one(ask, *pods, has=None):
    return said(ask, [node(has=has)], pods)["gpu-01"]


def test_lists_all_that_is_short_sorted():
    full = [pod(f"p{at}", on="gpu-01", asks={GPU: "1"}) for at in range(10)]

    assert one(pod(asks={SLICE: "1", GPU: "4", "cpu": "9"}), *full) == [
        "Insufficient cpu",
        f"Insufficient {GPU}",
        f"Insufficient {SLICE}",
        "Too many pods",
    ]


@pytest.mark.parametrize(("asks", "fits"), [("3", True), ("4", [f"Insufficient {GPU}"])])
def test_what_is_left_may_be_used_up_exactly(asks, fits):
    assert one(pod(asks={GPU: asks}), pod("held", on="gpu-01", asks={GPU: "5"})) == fits


def test_an_over_committed_resource_refuses_only_those_who_ask_for_it():
    held = pod("held", on="gpu-01", asks={GPU: "8"})
    has = {**ROOM, GPU: "7"}

    assert one(pod(asks={GPU: "1"}), held, has=has) == [f"Insufficient {GPU}"]
    assert one(pod(asks={"cpu": "1", GPU: "0"}), held, has=has) is True


def test_counts_in_whole_units_up_for_each_pod():
    held = [pod(f"p{at}", on="gpu-01", asks={"cpu": "100u", "memory": "500m"}) for at in range(2)]
    has = {"cpu": "3m", "memory": "3", "pods": "10"}

    assert one(pod(asks={"cpu": "1m", "memory": "1"}), *held, has=has) is True
    assert one(pod(asks={"cpu": "1100u", "memory": "1100m"}), *held, has=has) == [
        "Insufficient cpu",
        "Insufficient memory",
    ]


@pytest.mark.parametrize(
    ("more", "fits"), [({"leaving": True}, [f"Insufficient {GPU}"]), ({"phase": "Failed"}, True)]
)
def test_pods_hold_what_they_have_until_they_ended(more, fits):
    assert one(pod(asks={GPU: "8"}), pod("held", on="gpu-01", asks={GPU: "1"}, **more)) == fits


@pytest.mark.parametrize(
    ("asks", "resolvable"),
    [({GPU: "8"}, True), ({GPU: "9"}, False), ({GPU: "8", SLICE: "1"}, False), ({"cpu": "1"}, None)],
)
def test_leaving_pods_help_where_the_node_is_large_enough(asks, resolvable):
    held = pod("held", on="gpu-01", asks={GPU: "1"})
    (verdict,) = verdicts(pod(asks=asks), view([node()], [held]))

    assert (verdict.fits, verdict.resolvable) == (resolvable is None, bool(resolvable))


@pytest.mark.parametrize(
    ("ask", "held", "has"),
    [
        ({GPU: "many"}, {}, ROOM),
        ({GPU: "1"}, {GPU: "many"}, ROOM),
        ({GPU: "1"}, {}, {**ROOM, GPU: "many"}),
        ({}, {}, {"pods": "many"}),
    ],
)
def test_never_guesses_where_an_amount_cannot_be_read(ask, held, has):
    assert one(pod(asks=ask), pod("held", on="gpu-01", asks=held), has=has) is None


def test_what_cannot_be_read_does_not_hide_a_refusal_that_comes_before():
    assert said(pod(asks={GPU: "many"}), [node(cordoned=True)]) == {"gpu-01": ["node(s) were unschedulable"]}
