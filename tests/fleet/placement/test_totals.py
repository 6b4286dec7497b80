from collections import Counter

import pytest

from gateway.fleet.catalogue import CATALOGUE
from gateway.fleet.placement.card import misfit
from gateway.fleet.placement.totals import divided
from gateway.fleet.unknown import Unknown
from tests.fleet.placement.test_card import RECORDED

A100 = CATALOGUE["A100-40GB"]


@pytest.mark.parametrize("case", RECORDED["totals"].values(), ids=RECORDED["totals"])
def test_slices_of_a_machine_fit_on_its_cards_or_do_not(case):
    kind = CATALOGUE[case["type"]]
    cuts = divided(case["slices"], kind, case["cards"])
    assert isinstance(cuts, tuple) is case["fits"]
    if case["fits"]:
        assert sum(map(Counter, cuts), Counter()) == Counter(case["slices"])
        assert [misfit(cut, kind) for cut in cuts] == [None] * len(cuts)
        assert len(cuts) <= case["cards"]


def test_a_division_names_what_goes_where():
    assert divided({"1g.5gb": 2, "3g.20gb": 1, "7g.40gb": 1}, A100, 2) == (
        {"7g.40gb": 1},
        {"3g.20gb": 1, "1g.5gb": 2},
    )


def test_what_cannot_be_divided_says_so():
    assert (
        divided({"3g.20gb": 5}, A100, 2)
        == "5 x 3g.20gb do not fit on 2 x A100-40GB, however they are divided"
    )


def test_a_profile_that_no_card_has_is_named():
    assert divided({"1g.6gb": 1}, A100, 2) == "A100-40GB has no profile 1g.6gb"


def test_nothing_needs_no_card():
    assert divided({"1g.5gb": 0}, A100, 0) == ()


def test_cards_without_a_listing_of_places_are_left_open():
    assert isinstance(divided({"4g.48gb": 1}, CATALOGUE["RTX-PRO-5000-48GB"], 1), Unknown)


def test_slices_of_sixteen_full_cards_are_divided():
    asked = {"1g.5gb": 16, "1g.10gb": 0, "2g.10gb": 16, "3g.20gb": 16, "1g.5gb+me": 16}
    cuts = divided(asked, A100, 16)
    assert sum(map(Counter, cuts), Counter()) == +Counter(asked)


HARD = {"4g.20gb": 1, "3g.20gb": 8, "2g.10gb": 20, "1g.5gb+me": 7, "1g.5gb": 38}


@pytest.mark.parametrize(("slices", "cards"), [(HARD, 16), ({"7g.40gb": 65}, 65)], ids=["hard", "many"])
def test_a_search_that_takes_too_long_is_left_open(slices, cards):
    told = divided(slices, A100, cards)
    assert isinstance(told, Unknown)
    assert told.reason.endswith(f"fit on {cards} x A100-40GB was not found out")
