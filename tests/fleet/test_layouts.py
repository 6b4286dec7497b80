from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.beside import Beside
from gateway.fleet.cards import kubernetes_cards
from gateway.fleet.gpu import CardsBasis
from gateway.fleet.layouts import LayoutFile, LayoutRule
from gateway.fleet.unknown import Unknown, undetermined
from tests.builders import a_node
from tests.fleets import a_machine
from tests.gpu_labels import GPU, SHARED_GPU, single

A100_40, A100_80, H100_80 = ("20B0",), ("20B2",), ("2330",)


def applied(slices, profile, config=None, kind="A100-80GB", **more):
    """A node whose layout was applied under the single strategy; without more, what all-<profile> is."""
    labels = single(slices, profile, kind) | {
        "nvidia.com/mig.config": config or f"all-{profile}",
        "nvidia.com/mig.config.state": "success",
    }
    return a_node(labels=labels, **more)


def rule(slices, boards=(), devices=None):
    return LayoutRule(boards=boards, devices=devices, slices=slices)


def configured(**layouts):
    """What a MIG manager is configured with, as evidence."""
    named = {name: tuple(rules) for name, rules in layouts.items()}
    return Beside(layouts=(LayoutFile(where="ConfigMap gpu-operator/layouts", layouts=named),))


SHIPPED = {
    "sevenths": (applied(56, "1g.10gb"), 8),
    "the same name on another board": (applied(16, "1g.10gb", kind="A100-40GB"), 4),
    "halves": (applied(4, "3g.40gb"), 2),
    "a label cannot hold a plus": (applied(3, "1g.10gb.me"), 3),
    "quarters": (applied(16, "1g.6gb", kind="A30-24GB"), 4),
    "some slices are lost": (applied(28, "1g.10gb", capacity={GPU: 27}), 4),
    "shared slices, which the label counts": (
        applied(14, "1g.10gb", capacity={GPU: 0, SHARED_GPU: 28}),
        2,
    ),
}


@pytest.mark.parametrize(("node", "cards"), SHIPPED.values(), ids=SHIPPED.keys())
def test_counts_the_cards_of_a_layout_that_comes_with_the_mig_manager(node, cards):
    found = kubernetes_cards(node)

    assert (found.count, found.basis) == (cards, CardsBasis.MIG_CONFIG)


UNDECIDED = {
    "no layout is named": (a_node(labels=single(56, "1g.10gb")), "no label names a layout"),
    "a name of one's own": (applied(56, "1g.10gb", "ours"), "how the layout ours cuts a card is not known"),
    "another profile than the layout's": (applied(4, "3g.40gb", "all-1g.10gb"), "all-1g.10gb cuts a card"),
    "several profiles, which the strategy does not allow": (
        applied(8, "1g.10gb", "all-balanced"),
        "all-balanced cuts a card is not known",
    ),
    "no number of cards": (applied(55, "1g.10gb"), "55 are no number of cards"),
    "more than the labels count": (
        applied(7, "1g.10gb", capacity={GPU: 14}),
        "nvidia.com/gpu is 14, and the labels count 7 slices",
    ),
    "no slices at all": (applied(0, "1g.10gb"), "0 are no number of cards"),
    "a profile that no board is known to have": (applied(6, "1g.11gb"), "how many of them a card gives"),
    "an unreadable count": (applied("many", "1g.10gb"), "'many'"),
}


@pytest.mark.parametrize(("node", "reason"), UNDECIDED.values(), ids=UNDECIDED.keys())
def test_does_not_guess_where_the_layout_does_not_tell_the_cards(node, reason):
    found = kubernetes_cards(node)

    assert found.basis == found.count
    assert reason in found.count.reason


@pytest.mark.parametrize("state", ["pending", "rebooting", "failed"])
def test_a_layout_that_did_not_succeed_tells_nothing(state):
    node = applied(56, "1g.10gb")
    changing = a_node(labels={**node.labels, "nvidia.com/mig.config.state": state})

    assert "no label names a layout that was applied" in kubernetes_cards(changing).count.reason


OWN = {
    "two of five that would fit": (applied(8, "1g.10gb", "ours"), configured(ours=[rule({"1g.10gb": 2})]), 4),
    "a shipped name that means another layout here": (
        applied(8, "1g.10gb"),
        configured(**{"all-1g.10gb": [rule({"1g.10gb": 4})]}),
        2,
    ),
    "a rule for each board": (
        applied(14, "1g.10gb", "ours"),
        configured(ours=[rule({"1g.10gb": 4}, A100_40), rule({"1g.10gb": 7}, (*A100_80, *H100_80))]),
        2,
    ),
    "a rule beside it for a profile that is not there": (
        applied(14, "1g.10gb", "ours"),
        configured(ours=[rule({"3g.40gb": 2}), rule({"1g.10gb": 7})]),
        2,
    ),
    "listed cards, each with its own number": (
        applied(9, "1g.10gb", "ours"),
        configured(ours=[rule({"1g.10gb": 7}, devices=(0,)), rule({"1g.10gb": 1}, devices=(1, 2))]),
        3,
    ),
}


@pytest.mark.parametrize(("node", "beside", "cards"), OWN.values(), ids=OWN.keys())
def test_counts_the_cards_of_a_layout_of_ones_own(node, beside, cards):
    assert kubernetes_cards(node, beside).count == cards


OPEN = {
    "the manager has no such layout": (
        applied(56, "1g.10gb"),
        configured(ours=[rule({"1g.10gb": 7})]),
        "ConfigMap gpu-operator/layouts has no layout all-1g.10gb that cuts such cards",
    ),
    "only other boards": (
        applied(28, "1g.10gb", "ours"),
        configured(ours=[rule({"1g.10gb": 7}, A100_40)]),
        "ConfigMap gpu-operator/layouts has no layout ours that cuts such cards",
    ),
    "only another profile": (
        applied(28, "1g.10gb", "ours"),
        configured(ours=[rule({"3g.40gb": 2})]),
        "ConfigMap gpu-operator/layouts has no layout ours that cuts such cards",
    ),
    "either of two": (
        applied(28, "1g.10gb", "ours"),
        configured(ours=[rule({"1g.10gb": 4}), rule({"1g.10gb": 7})]),
        "28 are no number of cards",
    ),
    "a board that nobody knows may be this one": (
        applied(28, "1g.10gb", "ours"),
        configured(ours=[rule({"1g.10gb": 4}, ("FFFF",)), rule({"1g.10gb": 7}, A100_80)]),
        "28 are no number of cards",
    ),
    "more slices than the listed cards have": (
        applied(9, "1g.10gb", "ours"),
        configured(ours=[rule({"1g.10gb": 7}, devices=(0,))]),
        "9 are no number of cards",
    ),
}


@pytest.mark.parametrize(("node", "beside", "reason"), OPEN.values(), ids=OPEN.keys())
def test_a_layout_that_leaves_it_open_decides_nothing(node, beside, reason):
    assert reason in kubernetes_cards(node, beside).count.reason


def test_layouts_that_may_not_be_read_are_the_reason():
    refused = undetermined(System.KUBERNETES, "the gateway may not list DaemonSets")
    beside = Beside(layouts=(LayoutFile(where="the MIG manager", layouts=refused),))

    assert kubernetes_cards(applied(56, "1g.10gb"), beside).count == refused
    assert kubernetes_cards(applied(56, "1g.10gb"), Beside(layouts=refused)).count == refused


@pytest.mark.parametrize(
    ("capacity", "allocatable", "usable"),
    [
        ({GPU: 28}, {GPU: 28}, 4),
        ({GPU: 28}, {GPU: 27}, 3),
        ({GPU: 21}, {GPU: 21}, 3),
        ({GPU: 28}, {GPU: 0}, 0),
        ({GPU: 0, SHARED_GPU: 56}, {GPU: 0, SHARED_GPU: 55}, 3),
    ],
)
def test_all_cards_are_cut_and_lost_slices_are_lost_cards(capacity, allocatable, usable):
    node = applied(28, "1g.10gb", capacity=capacity, allocatable=allocatable)
    if SHARED_GPU in capacity:
        node = replace(node, gpu_labels=replace(node.gpu_labels, replicas=2))
    machine = a_machine(node)

    assert (machine.gpus.whole_cards, machine.gpus.partitioned_cards) == (0, 4)
    assert not isinstance(machine.health.usable_cards, Unknown)
    assert machine.health.usable_cards == usable
