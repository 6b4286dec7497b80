import pytest

from gateway.errors import System
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import undetermined
from tests.builders import a_node, a_pod
from tests.fleets import a_machine
from tests.gpu_labels import GPU, SHARED_GPU, mixed, shared, single, whole

MIG = "nvidia.com/mig-"


DIVIDED = {
    "nothing is cut": (a_node(), 8, 0),
    "a lost whole card is not cut": (a_node(capacity={GPU: 7}), 8, 0),
    "MIG off under the single strategy": (
        a_node(labels=whole(4) | {"nvidia.com/mig.strategy": "single"}),
        4,
        0,
    ),
    "all cards cut": (a_node(labels=mixed(8), capacity={GPU: 0, f"{MIG}1g.10gb": 56}), 0, 8),
    "some cards cut": (a_node(labels=mixed(8), capacity={GPU: 6, f"{MIG}3g.40gb": 4}), 6, 2),
    "slices spread thin": (a_node(labels=mixed(8), capacity={GPU: 5, f"{MIG}1g.10gb": 3}), 5, 3),
    "an empty card beside cut ones cannot be told from them": (
        a_node(labels=mixed(8), capacity={GPU: 6, f"{MIG}1g.10gb": 7}),
        6,
        2,
    ),
    "slices that the labels tell of and nobody offers": (
        a_node(labels=mixed(8) | {f"{MIG}7g.80gb.count": "7"}, capacity={GPU: 1, f"{MIG}7g.80gb": 5}),
        1,
        7,
    ),
    "no whole cards are offered": (a_node(labels=mixed(1), capacity={f"{MIG}1g.10gb": 7}), 0, 1),
    "shares count as their cards": (
        a_node(labels=mixed(4) | {"nvidia.com/gpu.replicas": "10"}, capacity={GPU: 20, f"{MIG}1g.10gb": 14}),
        2,
        2,
    ),
    "renamed shares too": (
        a_node(
            labels=mixed(4) | {"nvidia.com/gpu.replicas": "10"},
            capacity={GPU: 0, SHARED_GPU: 20, f"{MIG}1g.10gb": 14},
        ),
        2,
        2,
    ),
    "shared slices by their label": (
        a_node(
            labels=mixed(2) | {f"{MIG}1g.10gb.count": "7", f"{MIG}1g.10gb.replicas": "4"},
            capacity={GPU: 1, f"{MIG}1g.10gb": 28},
        ),
        1,
        1,
    ),
    "mixed strategy on cards that cannot be cut": (
        a_node(labels=mixed(8, "T4-16GB") | {"nvidia.com/mig.capable": "false"}, capacity={GPU: 7}),
        8,
        0,
    ),
}


@pytest.mark.parametrize(("node", "whole_cards", "cut"), DIVIDED.values(), ids=DIVIDED.keys())
def test_divides_cards_into_whole_and_cut(node, whole_cards, cut):
    found = a_machine(node).gpus

    assert (found.whole_cards, found.partitioned_cards) == (whole_cards, cut)


UNDIVIDED = {
    "a stale key beside slices": (
        a_node(labels=mixed(1, "A100-40GB"), capacity={GPU: 1, f"{MIG}7g.40gb": 1}),
        "1 whole cards and slices of 1 more do not fit into 1",
    ),
    "stale slices where the strategy is none": (
        a_node(labels=whole(8), capacity={GPU: 8, f"{MIG}1g.10gb": 14}),
        "8 whole cards and slices of 2 more do not fit into 8",
    ),
    "an empty card, or a lost one": (
        a_node(labels=mixed(8), capacity={GPU: 7}),
        "1 of 8 cards are neither offered whole nor cut",
    ),
    "more cards than slices can be of": (
        a_node(labels=mixed(8), capacity={GPU: 5, f"{MIG}7g.80gb": 1}),
        "2 of 8 cards are neither offered whole nor cut",
    ),
    "an unreadable capacity": (a_node(labels=mixed(8), capacity={GPU: "banana"}), "'banana'"),
    "an unreadable number of slices": (
        a_node(labels=mixed(8), capacity={GPU: 4, f"{MIG}1g.10gb": "-1"}),
        "'-1' is no count",
    ),
    "slices of an unknown size": (
        a_node(labels=mixed(8), capacity={GPU: 4, f"{MIG}half": 2}),
        "how much of a card a half takes",
    ),
    "shares that are no number of cards": (
        a_node(labels=mixed(8) | {"nvidia.com/gpu.replicas": "10"}, capacity={GPU: 25}),
        "25 shares, 10 a card",
    ),
    "shares of which no label tells": (
        a_node(labels=mixed(8) | {"nvidia.com/gpu.replicas": "0"}, capacity={SHARED_GPU: 40}),
        "how many shares a card gives",
    ),
    "cards that nobody can count": (
        a_node(labels=single(56, "1g.10gb"), capacity={GPU: 56}),
        "counts slices (1g.10gb)",
    ),
}


@pytest.mark.parametrize(("node", "reason"), UNDIVIDED.values(), ids=UNDIVIDED.keys())
def test_does_not_divide_what_does_not_add_up(node, reason):
    found = a_machine(node).gpus

    assert found.whole_cards == found.partitioned_cards
    assert reason in found.whole_cards.reason


def slices(node, pods=()):
    return {
        group.profile.name: (group.unit, group.slices, group.capacity, group.allocatable, group.requested)
        for group in a_machine(node, pods=tuple(pods)).mig_slices
    }


SLICE, SHARE = GpuUnit.SLICE, GpuUnit.SHARE


def test_lists_the_slices_of_the_mixed_strategy_by_profile():
    node = a_node(
        labels=mixed(2),
        capacity={GPU: 0, f"{MIG}1g.10gb": 7, f"{MIG}3g.40gb": 2},
        allocatable={GPU: 0, f"{MIG}1g.10gb": 6, f"{MIG}3g.40gb": 2},
    )

    assert slices(node, [a_pod(asks={f"{MIG}1g.10gb": 2})]) == {
        "1g.10gb": (SLICE, 7, 7, 6, 2),
        "3g.40gb": (SLICE, 2, 2, 2, 0),
    }


def test_a_key_at_zero_is_history_and_no_slice():
    assert slices(a_node(labels=mixed(1), capacity={GPU: 1, f"{MIG}1g.10gb": 0})) == {}


def test_an_unreadable_number_of_slices_is_still_a_group():
    (group,) = a_machine(a_node(labels=mixed(1), capacity={f"{MIG}1g.10gb": "all"})).mig_slices

    assert group.slices == group.capacity
    assert "'all'" in group.slices.reason


def test_lists_the_slices_of_the_single_strategy_under_their_profile():
    node = a_node(labels=single(14, "1g.10gb"), capacity={GPU: 14})

    assert slices(node, [a_pod(asks={GPU: 3})]) == {"1g.10gb": (SLICE, 14, 14, 14, 3)}


def test_counts_instances_beside_shares_of_them():
    one = a_node(
        labels=single(14, "1g.10gb") | {"nvidia.com/gpu.replicas": "4"}, capacity={GPU: 0, SHARED_GPU: 56}
    )
    other = a_node(
        labels=mixed(2) | {f"{MIG}1g.10gb.count": "7", f"{MIG}1g.10gb.replicas": "2"},
        capacity={GPU: 1, f"{MIG}1g.10gb": 14},
    )

    assert slices(one) == {"1g.10gb": (SHARE, 14, 56, 56, 0)}
    assert slices(other) == {"1g.10gb": (SHARE, 7, 14, 14, 0)}


def test_shares_of_slices_do_not_tell_the_slices_without_a_label():
    (group,) = a_machine(a_node(labels=mixed(2), capacity={f"{MIG}1g.10gb.shared": 14})).mig_slices

    assert group.slices == undetermined(
        System.KUBERNETES, f"nothing tells how many slices {MIG}1g.10gb.shared is made of"
    )


def test_an_invalid_layout_has_no_slices():
    assert slices(a_node(labels=single(0, "INVALID"), capacity={GPU: 0})) == {}


def test_a_shared_card_has_no_slices():
    assert slices(a_node(labels=shared(8, 4), capacity={GPU: 32})) == {}
