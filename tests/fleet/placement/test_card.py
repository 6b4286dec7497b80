from pathlib import Path

import pytest
import yaml

from gateway.fleet.catalogue import CATALOGUE
from gateway.fleet.placement.card import misfit
from gateway.fleet.unknown import Unknown

RECORDED = yaml.safe_load((Path(__file__).parents[2] / "recordings" / "mig_layouts.yaml").read_text())
CASES = RECORDED["cards"] | RECORDED["fragments"]


def verdict(told):
    return None if isinstance(told, Unknown) else told is None


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_cut_fits_on_a_card_as_the_listings_of_places_say(case):
    assert verdict(misfit(case["cut"], CATALOGUE[case["type"]])) is case["fits"]


A100 = CATALOGUE["A100-40GB"]
REASONS = {
    "no such profile": ({"1g.6gb": 1}, "A100-40GB has no profile 1g.6gb"),
    "too many": ({"1g.5gb": 8}, "one A100-40GB gives at most 7 x 1g.5gb, and 8 are asked for"),
    "too much memory": (
        {"1g.5gb": 2, "3g.20gb": 1, "7g.40gb": 1},
        "2 x 1g.5gb, 1 x 3g.20gb, 1 x 7g.40gb take 14 parts of memory, and one A100-40GB has 8",
    ),
    "no room": (
        {"4g.20gb": 1, "2g.10gb": 1, "1g.5gb": 2},
        (
            "1 x 4g.20gb, 1 x 2g.10gb, 2 x 1g.5gb find no room beside each other on one A100-40GB: "
            "slices begin only at certain parts"
        ),
    ),
}


@pytest.mark.parametrize(("cut", "reason"), REASONS.values(), ids=REASONS)
def test_a_cut_that_does_not_fit_says_why(cut, reason):
    assert misfit(cut, A100) == reason


def test_media_engines_go_to_one_slice_of_a_card():
    told = misfit({"1g.24gb+me": 1, "2g.48gb+me.all": 1}, CATALOGUE["RTX-PRO-6000-96GB"])
    assert told == (
        "one RTX-PRO-6000-96GB gives one slice with media engines, "
        "and 1 x 1g.24gb+me, 1 x 2g.48gb+me.all are asked for"
    )


def test_a_profile_is_known_by_the_spelling_of_labels_too():
    assert misfit({"1g.5gb.me": 1, "1g.5gb": 6}, A100) is None


def test_a_card_may_be_left_whole():
    assert misfit({}, A100) is None


def test_where_no_listing_was_seen_nothing_is_said_of_what_fits():
    told = misfit({"4g.48gb": 1}, CATALOGUE["RTX-PRO-5000-48GB"])
    assert told.reason == (
        "where a 4g.48gb may lie on one RTX-PRO-5000-48GB is not known, nor what fits beside it"
    )


def test_where_no_listing_was_seen_more_than_the_most_is_too_many_all_the_same():
    assert misfit({"4g.48gb": 2}, CATALOGUE["RTX-PRO-5000-48GB"]) == (
        "one RTX-PRO-5000-48GB gives at most 1 x 4g.48gb, and 2 are asked for"
    )
