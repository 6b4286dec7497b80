import pytest

from gateway.fleet.cards import kubernetes_cards
from gateway.fleet.gpu import CardsBasis
from gateway.fleet.sharing import gpu_unit
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown
from tests.builders import a_node
from tests.fleets import a_machine

AMD, CPX, SPX = "amd.com/gpu", "amd.com/cpx_nps4", "amd.com/spx_nps1"


def an_amd_node(capacity, mode=None, product="AMD_Instinct_MI300X_OAM", allocatable=None, **more):
    labels = {"amd.com/gpu.product-name": product, "amd.com/compute-memory-partition": mode, **more}
    told = {key: text for key, text in labels.items() if text is not None}
    return a_node(labels=told, capacity=capacity, allocatable=allocatable)


UNDIVIDED = {"amd.com/compute-partitioning-supported": "false"}
COUNTED = {
    "whole cards": (an_amd_node({AMD: 8}, "spx_nps1"), 8, 8),
    "cards that cannot be partitioned": (
        an_amd_node({AMD: 4}, product="AMD_Instinct_MI210", **UNDIVIDED),
        4,
        4,
    ),
    "eighths": (an_amd_node({AMD: 64}, "cpx_nps4"), 8, 0),
    "halves": (an_amd_node({AMD: 16}, "dpx_nps2"), 8, 0),
    "capital letters": (an_amd_node({AMD: 32}, "QPX_NPS1"), 8, 0),
    "the largest that share memory with a processor": (
        an_amd_node({CPX: 24}, product="AMD_Instinct_MI300A"),
        4,
        0,
    ),
    "partitions by name": (an_amd_node({CPX: 64}), 8, 0),
    "partitions by name, few of them": (an_amd_node({CPX: 8}), 1, 0),
    "cards beside partitions": (an_amd_node({SPX: 4, CPX: 32}), 8, 4),
    "a key that stands at zero is history": (an_amd_node({AMD: 0, CPX: 64}), 8, 0),
}


@pytest.mark.parametrize(("node", "cards", "whole"), COUNTED.values(), ids=COUNTED.keys())
def test_counts_cards_by_how_they_are_partitioned(node, cards, whole):
    gpus = a_machine(node).gpus

    assert (gpus.cards, gpus.cards_basis) == (cards, CardsBasis.PARTITION_LABELS)
    assert (gpus.whole_cards, gpus.partitioned_cards) == (whole, cards - whole)


UNDECIDED = {
    "no label": (an_amd_node({AMD: 8}), "no label tells into how many"),
    "cards or eighths, by the release of the plugin": (
        an_amd_node({AMD: 8}, "cpx_nps4"),
        "releases of AMD's",
    ),
    "one partition is missing": (
        an_amd_node({AMD: 63}, "cpx_nps4"),
        "63 of amd.com/gpu are no number of cards",
    ),
    "a model whose dies nobody counted": (an_amd_node({CPX: 64}, product="AMD_Instinct_X"), "no label tells"),
    "a mode that is not known": (an_amd_node({AMD: 8}, "zpx_nps1"), "no label tells into how many"),
    "a key that was left over": (an_amd_node({AMD: 8, CPX: 64}, "spx_nps1"), "one of them is left over"),
    "an unreadable partition": (an_amd_node({SPX: "some", CPX: 32}), "'some'"),
}


@pytest.mark.parametrize(("node", "reason"), UNDECIDED.values(), ids=UNDECIDED.keys())
def test_does_not_guess_where_partitions_do_not_tell_the_cards(node, reason):
    found = kubernetes_cards(node)

    assert isinstance(found.count, Unknown)
    assert reason in found.count.reason


UNITS = {
    "cards": (an_amd_node({AMD: 8}, "spx_nps1"), AMD, GpuUnit.CARD),
    "parts": (an_amd_node({AMD: 64}, "cpx_nps4"), AMD, GpuUnit.SLICE),
    "either": (an_amd_node({AMD: 8}, "cpx_nps4"), AMD, None),
    "cards by name": (an_amd_node({SPX: 4}), SPX, GpuUnit.CARD),
    "parts by name": (an_amd_node({CPX: 8}), CPX, GpuUnit.SLICE),
}


@pytest.mark.parametrize(("node", "resource", "unit"), UNITS.values(), ids=UNITS.keys())
def test_tells_cards_from_parts(node, resource, unit):
    assert gpu_unit(node, resource) is unit


LOST = {
    "none": (an_amd_node({AMD: 8}, "spx_nps1"), 8),
    "a card": (an_amd_node({AMD: 8}, "spx_nps1", allocatable={AMD: 7}), 7),
    "nine parts, of two cards at the least": (an_amd_node({CPX: 64}, allocatable={CPX: 55}), 6),
    "all of it": (an_amd_node({AMD: 64}, "cpx_nps4", allocatable={AMD: 0}), 0),
}


@pytest.mark.parametrize(("node", "usable"), LOST.values(), ids=LOST.keys())
def test_lost_parts_are_lost_cards(node, usable):
    assert a_machine(node).health.usable_cards == usable
