import pytest

from gateway.fleet.desired import MigLayout
from gateway.fleet.gpu import MigStrategy
from gateway.fleet.placement.layout import Misfit
from gateway.fleet.placement.offer import Offer, expected_resources, is_reached
from tests.fleet.placement.test_layout import a_cut, by_cards, facts
from tests.gpu_labels import PRODUCTS

GPU = "nvidia.com/gpu"
PRODUCT = PRODUCTS["A100-40GB"]
HALF = by_cards(a_cut((0,), **{"1g_5gb_me": 1, "1g_5gb": 2, "3g_20gb": 1}), a_cut((1,), **{"1g_5gb": 7}))
ALIKE = by_cards(a_cut(**{"1g_5gb_me": 1}))
WHOLE = by_cards(a_cut())

OFFERS = {
    "mixed": (
        HALF,
        MigStrategy.MIXED,
        {"nvidia.com/mig-1g.5gb": 9, "nvidia.com/mig-1g.5gb.me": 1, "nvidia.com/mig-3g.20gb": 1, GPU: 1},
        None,
        1,
    ),
    "mixed, all cut": (ALIKE, MigStrategy.MIXED, {"nvidia.com/mig-1g.5gb.me": 3}, None, 0),
    "mixed, whole": (WHOLE, MigStrategy.MIXED, {GPU: 3}, None, 3),
    "single": (ALIKE, MigStrategy.SINGLE, {GPU: 3}, "1g.5gb+me", 0),
    "single, whole": (WHOLE, MigStrategy.SINGLE, {GPU: 3}, None, 3),
    "none, whole": (WHOLE, MigStrategy.NONE, {GPU: 3}, None, 3),
}


@pytest.mark.parametrize(("layout", "strategy", "resources", "profile", "whole"), OFFERS.values(), ids=OFFERS)
def test_a_layout_is_offered_as_the_strategy_names_it(layout, strategy, resources, profile, whole):
    offer = expected_resources(layout, facts(cards=3, strategy=strategy))
    assert offer == Offer(resources=resources, profile=profile)
    assert offer.whole_cards == whole


def test_a_layout_that_a_node_cannot_have_offers_nothing():
    assert isinstance(expected_resources(by_cards(a_cut((7,))), facts()), Misfit)
    assert "is not to be seen" in expected_resources(MigLayout(config="ours"), facts()).reason


def labels(profile=None):
    return {"nvidia.com/gpu.product": f"{PRODUCT}-MIG-{profile}" if profile else PRODUCT}


MIXED = Offer(resources={"nvidia.com/mig-1g.5gb": 7, GPU: 1}, profile=None)
SINGLE = Offer(resources={GPU: 2}, profile="1g.5gb+me")
REACHED = {
    "just so": (MIXED, {"nvidia.com/mig-1g.5gb": 7, GPU: 1}, labels(), True),
    "beside what is no slice": (
        MIXED,
        {"nvidia.com/mig-1g.5gb": 7, GPU: 1, "amd.com/gpu": 4},
        labels(),
        True,
    ),
    "beside zeros of an old layout": (
        MIXED,
        {"nvidia.com/mig-1g.5gb": 7, GPU: 1, "nvidia.com/mig-3g.20gb": 0},
        labels(),
        True,
    ),
    "a slice too few": (MIXED, {"nvidia.com/mig-1g.5gb": 6, GPU: 1}, labels(), False),
    "a slice of another profile": (
        MIXED,
        {"nvidia.com/mig-1g.5gb": 7, GPU: 1, "nvidia.com/mig-3g.20gb": 1},
        labels(),
        False,
    ),
    "a card too many": (MIXED, {"nvidia.com/mig-1g.5gb": 7, GPU: 2}, labels(), False),
    "no count": (MIXED, {"nvidia.com/mig-1g.5gb": 7, GPU: None}, labels(), False),
    "nothing": (MIXED, {}, labels(), False),
    "slices by the label": (SINGLE, {GPU: 2}, labels("1g.5gb.me"), True),
    "as many whole cards": (SINGLE, {GPU: 2}, labels(), False),
    "no label": (SINGLE, {GPU: 2}, {}, False),
    "as many slices of another profile": (SINGLE, {GPU: 2}, labels("3g.20gb"), False),
    "slices where whole cards are asked": (
        Offer(resources={GPU: 2}, profile=None),
        {GPU: 2},
        labels("7g.40gb"),
        False,
    ),
}


@pytest.mark.parametrize(("offer", "allocatable", "told", "reached"), REACHED.values(), ids=REACHED)
def test_a_layout_is_reached_when_exactly_it_is_offered(offer, allocatable, told, reached):
    assert is_reached(offer, allocatable, told) is reached
