from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import System
from gateway.fleet.diagnosis.admission.fitting import Fitting, fitting
from gateway.fleet.scheduling.view import view_of
from gateway.fleet.unknown import Unknown, undetermined
from tests.fleet.scheduling.scenes import node, pod, view
from tests.fleets import a_fleet

GPU = "nvidia.com/gpu"
TAINT = {"key": "dedicated", "value": "infra", "effect": "NoSchedule"}
ROOM = {"cpu": "8", "memory": "32Gi", "pods": "10"}


def a_node(name, cards, **more):
    return node(name, has={**ROOM, GPU: str(cards), **more.pop("has", {})}, **more)


def gang(*asks, **more):
    return [pod(f"work-{at}", asks={GPU: str(cards)}, **more) for at, cards in enumerate(asks)]


def bounds(pods, nodes, others=()):
    return fitting(pods, view(nodes, [*pods, *others]))


@pytest.mark.parametrize(
    ("asks", "cards", "fits"),
    [
        ((8, 8, 8, 8), (8, 8, 8), 3),
        ((3, 3, 3), (7,), 2),
        ((3, 3, 3), (4, 4), 2),  # eight cards are left in sum, and nine asked for
        ((3, 3), (2, 2, 2), 0),  # six are left, and nowhere three
        ((1, 1), (2,), 2),
    ],
)
def test_counts_pods_that_are_alike_node_by_node(asks, cards, fits):
    nodes = [a_node(f"gpu-{at}", count) for at, count in enumerate(cards)]

    assert bounds(gang(*asks), nodes) == Fitting(at_least=fits, at_most=fits)


def test_what_others_hold_is_not_left():
    held = pod("other", "gpu-0", {GPU: "5"})

    assert bounds(gang(2, 2), [a_node("gpu-0", 8)], [held]) == Fitting(at_least=1, at_most=1)


def test_nodes_that_would_not_take_them_do_not_count():
    nodes = [a_node("gpu-0", 8, taints=[TAINT]), a_node("gpu-1", 8), a_node("gpu-2", 8, cordoned=True)]

    assert bounds(gang(8, 8), nodes) == Fitting(at_least=1, at_most=1)


def test_a_node_takes_no_more_pods_than_it_may():
    assert bounds(gang(1, 1, 1), [a_node("gpu-0", 8, has={"pods": "2"})]) == Fitting(at_least=2, at_most=2)


def test_different_pods_are_bounded_by_what_is_left_in_sum():
    assert bounds(gang(8, 5, 4), [a_node("gpu-0", 8), a_node("gpu-1", 4)]).at_most == 2


def test_pods_that_keep_apart_fit_for_sure_one_by_one():
    apart = {
        "affinity": {
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "topologyKey": "kubernetes.io/hostname",
                        "labelSelector": {"matchLabels": {"app": "llm"}},
                    }
                ]
            }
        }
    }
    pods = gang(1, 1, labels={"app": "llm"}, **apart)

    assert bounds(pods, [a_node("gpu-0", 8)]) == Fitting(at_least=1, at_most=2)
    assert bounds(pods, [a_node("gpu-0", 0)]) == Fitting(at_least=0, at_most=0)


def test_what_volumes_decide_may_fit_and_is_not_sure():
    claim = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}

    assert bounds(gang(4, 4), [a_node("gpu-0", 8)]) == Fitting(at_least=2, at_most=2)
    assert bounds(gang(4, 4, **claim), [a_node("gpu-0", 8)]) == Fitting(at_least=0, at_most=2)


def test_what_they_ask_may_be_unknown():
    assert isinstance(bounds(gang("many", "many"), [a_node("gpu-0", 8)]), Unknown)


@pytest.mark.parametrize(("part", "sure"), [("kubernetes", 1), ("pods", 0)])
def test_a_node_of_which_nothing_is_known_may_take_all(part, sure):
    """Pods that are not known may keep others away from every node."""
    silent = undetermined(System.KUBERNETES, "gpu-1 is silent")
    known, lost = a_fleet([a_node("gpu-0", 8), a_node("gpu-1", 8)]).nodes("fleet").values()
    seen = view_of([known, replace(lost, **{part: silent})])

    assert fitting(gang(6, 6, 6), seen) == Fitting(at_least=sure, at_most=3, unsure=silent)


def best(asks, rooms):
    """The most that fit, by trying everything."""
    if not asks:
        return 0
    first, rest = asks[0], asks[1:]
    skipped = best(rest, rooms)
    placed = [
        1 + best(rest, [*rooms[:at], room - first, *rooms[at + 1 :]])
        for at, room in enumerate(rooms)
        if room >= first
    ]
    return max([skipped, *placed])


CARDS = st.integers(1, 8)


@given(st.lists(CARDS, min_size=1, max_size=4), st.lists(st.integers(0, 8), min_size=1, max_size=3))
def test_the_bounds_hold_whatever_is_asked(asks, cards):
    nodes = [a_node(f"gpu-{at}", count) for at, count in enumerate(cards)]

    found = bounds(gang(*asks), nodes)

    assert found.at_least <= best(asks, cards) <= found.at_most


@given(CARDS, st.integers(1, 5), st.lists(st.integers(0, 8), min_size=1, max_size=4))
def test_the_bounds_meet_for_pods_that_are_alike(ask, count, cards):
    nodes = [a_node(f"gpu-{at}", has) for at, has in enumerate(cards)]

    exact = best([ask] * count, cards)

    assert bounds(gang(*[ask] * count), nodes) == Fitting(at_least=exact, at_most=exact)
