import pytest

from gateway.errors import System
from gateway.fleet.catalogue import CATALOGUE
from gateway.fleet.desired import CardLayout, MigLayout, ProfileCount
from gateway.fleet.gpu import MigStrategy
from gateway.fleet.layouts import LayoutFile, LayoutRule
from gateway.fleet.placement.layout import Misfit, cuts_of, layout_misfit
from gateway.fleet.placement.node import CardFacts
from gateway.fleet.unknown import undetermined

SILENT = undetermined(System.KUBERNETES, "the ConfigMap cannot be read")


def a_cut(devices=None, **profiles):
    counts = tuple(
        ProfileCount(profile=name.replace("_", "."), count=count) for name, count in profiles.items()
    )
    return CardLayout(devices=devices, profiles=counts)


def by_cards(*cards):
    return MigLayout(cards=cards)


def facts(cards=2, kind="A100-40GB", strategy=MigStrategy.MIXED, files=()):
    return CardFacts(kind=CATALOGUE[kind], cards=cards, strategy=strategy, files=files)


def a_file(**layouts):
    return LayoutFile(
        where="ConfigMap operator/layouts", layouts={key: tuple(rules) for key, rules in layouts.items()}
    )


def a_rule(slices, devices=None, boards=()):
    return LayoutRule(boards=boards, devices=devices, slices=slices)


SEED = {"1g_5gb": 2, "3g_20gb": 1, "7g_40gb": 1}


def test_a_layout_that_one_card_cannot_have_names_the_card_and_the_reason():
    assert layout_misfit(by_cards(a_cut(**SEED)), facts(cards=1)) == Misfit(
        reason="2 x 1g.5gb, 1 x 3g.20gb, 1 x 7g.40gb take 14 parts of memory, and one A100-40GB has 8",
        card=0,
        path=("cards", "0", "profiles"),
    )


def test_slices_that_fit_on_the_cards_of_a_node_together_are_told_where_each_goes():
    misfit = layout_misfit(by_cards(a_cut(**SEED)), facts(cards=2))
    assert misfit.reason.endswith(
        "and one A100-40GB has 8. Without devices each card is cut so; "
        "these slices in all fit as card 0: 1 x 7g.40gb; card 1: 1 x 3g.20gb, 2 x 1g.5gb"
    )
    divided = by_cards(a_cut((0,), **{"7g_40gb": 1}), a_cut((1,), **{"3g_20gb": 1, "1g_5gb": 2}))
    assert layout_misfit(divided, facts(cards=2)) is None


def test_no_advice_is_given_where_cards_are_named():
    misfit = layout_misfit(by_cards(a_cut((1,), **{"1g_5gb": 8})), facts())
    assert (misfit.card, misfit.path) == (1, ("cards", "0", "profiles"))
    assert misfit.reason == "one A100-40GB gives at most 7 x 1g.5gb, and 8 are asked for"


def test_cards_that_a_layout_does_not_name_are_left_whole():
    assert cuts_of(by_cards(a_cut((1,), **{"1g_5gb": 7})), facts(cards=3)) == ({}, {"1g.5gb": 7}, {})


def test_profiles_are_told_in_the_words_of_nvidia_smi():
    cuts = cuts_of(by_cards(a_cut((0,), **{"1g_5gb_me": 1, "1g_5gb": 6})), facts(cards=1))
    assert cuts == ({"1g.5gb": 6, "1g.5gb+me": 1},)


@pytest.mark.parametrize(
    ("cards", "reason", "card", "path"),
    [
        (
            [a_cut((0, 2))],
            "there is no card 2: this node has cards 0 to 1",
            2,
            ("cards", "0", "devices", "1"),
        ),
        (
            [a_cut((-1,))],
            "there is no card -1: this node has cards 0 to 1",
            -1,
            ("cards", "0", "devices", "0"),
        ),
        ([a_cut((0,)), a_cut((1, 0))], "card 0 is named twice", 0, ("cards", "1", "devices", "1")),
        ([a_cut((1, 1))], "card 1 is named twice", 1, ("cards", "0", "devices", "1")),
        ([a_cut(), a_cut((1,))], "card 1 is named twice", 1, ("cards", "1", "devices", "0")),
    ],
)
def test_cards_are_named_by_an_index_that_there_is_and_once(cards, reason, card, path):
    assert layout_misfit(by_cards(*cards), facts()) == Misfit(reason=reason, card=card, path=path)


def test_a_node_without_cards_has_no_card_to_cut():
    assert layout_misfit(by_cards(a_cut()), facts(cards=0)) == Misfit(reason="this node has no cards")


def test_cards_that_cannot_be_cut_have_no_layout():
    assert layout_misfit(by_cards(a_cut()), facts(kind="T4-16GB")).reason == (
        "the cards of this node cannot be cut: T4-16GB"
    )


def test_what_fits_is_left_open_where_no_listing_of_places_was_seen():
    told = layout_misfit(by_cards(a_cut(**{"4g_48gb": 1})), facts(kind="RTX-PRO-5000-48GB"))
    assert told.reason.startswith("where a 4g.48gb may lie")


def test_advice_is_left_out_where_there_is_none():
    misfit = layout_misfit(by_cards(a_cut(**{"7g_40gb": 3})), facts())
    assert misfit.reason == "one A100-40GB gives at most 1 x 7g.40gb, and 3 are asked for"


STRATEGIES = {
    "none, cut": (MigStrategy.NONE, [a_cut(**{"1g_5gb": 7})], "would offer no slice"),
    "none, whole": (MigStrategy.NONE, [a_cut()], None),
    "single, alike": (MigStrategy.SINGLE, [a_cut(**{"1g_5gb": 7})], None),
    "single, whole": (MigStrategy.SINGLE, [a_cut()], None),
    "single, one card of two": (
        MigStrategy.SINGLE,
        [a_cut((0,), **{"1g_5gb": 7})],
        "under the single strategy",
    ),
    "single, two profiles": (
        MigStrategy.SINGLE,
        [a_cut(**{"1g_5gb": 4, "3g_20gb": 1})],
        "under the single strategy",
    ),
    "mixed, two profiles": (MigStrategy.MIXED, [a_cut(**{"1g_5gb": 4, "3g_20gb": 1})], None),
}


@pytest.mark.parametrize(("strategy", "cards", "reason"), STRATEGIES.values(), ids=STRATEGIES)
def test_a_layout_is_one_that_the_device_plugin_can_offer(strategy, cards, reason):
    misfit = layout_misfit(by_cards(*cards), facts(strategy=strategy))
    assert misfit is None if reason is None else reason in misfit.reason


BALANCED = [
    a_rule({"1g.5gb": 2, "2g.10gb": 1, "3g.20gb": 1}, boards=("20B0",)),
    a_rule({"7g.80gb": 1}, boards=("20B2",)),
]


def test_a_named_layout_cuts_cards_as_the_mig_manager_is_configured():
    files = (a_file(balanced=BALANCED),)
    assert cuts_of(MigLayout(config="balanced"), facts(files=files)) == (
        ({"1g.5gb": 2, "2g.10gb": 1, "3g.20gb": 1},) * 2
    )


def test_a_named_layout_may_cut_each_card_in_its_own_way():
    rules = [a_rule({"1g.5gb+me": 1, "1g.5gb": 0}, devices=(0,)), a_rule({}, devices=(1,))]
    assert cuts_of(MigLayout(config="half"), facts(files=(a_file(half=rules),))) == ({"1g.5gb+me": 1}, {})


@pytest.mark.parametrize("name", ["nowhere", "of-another-board"])
def test_a_name_that_the_mig_manager_does_not_know_for_these_cards_is_a_misfit(name):
    files = (a_file(**{"of-another-board": BALANCED[1:]}),)
    assert layout_misfit(MigLayout(config=name), facts(files=files)) == Misfit(
        reason=f"the MIG manager has no configuration {name} for A100-40GB", path=("config",)
    )


OPEN = {
    "the files are silent": (SILENT, "the ConfigMap cannot be read"),
    "a file cannot be read": ((LayoutFile(where="x", layouts=SILENT),), "the ConfigMap cannot be read"),
    "no file is to be seen": ((), "is not to be seen, so what the layout half does is not known"),
    "a card is left out": ((a_file(half=[a_rule({}, devices=(0,))]),), "does not tell of each card"),
    "two rules differ": ((a_file(half=[a_rule({}), a_rule({"1g.5gb": 7})]),), "does not tell of each card"),
}


@pytest.mark.parametrize(("files", "reason"), OPEN.values(), ids=OPEN)
def test_what_a_named_layout_does_is_left_open_where_nothing_tells(files, reason):
    assert reason in layout_misfit(MigLayout(config="half"), facts(files=files)).reason


def test_layouts_of_one_profile_are_known_by_the_names_that_a_mig_manager_comes_with():
    assert cuts_of(MigLayout(config="all-1g.5gb"), facts()) == ({"1g.5gb": 7},) * 2
    assert cuts_of(MigLayout(config="all-1g.5gb.me"), facts()) == ({"1g.5gb+me": 1},) * 2
    assert cuts_of(MigLayout(config="all-disabled"), facts()) == ({}, {})


def test_a_named_layout_is_judged_like_any_other():
    files = (a_file(wrong=[a_rule({"3g.20gb": 2, "1g.5gb": 1})]),)
    misfit = layout_misfit(MigLayout(config="wrong"), facts(files=files))
    assert (misfit.card, misfit.path) == (0, ("config",))
    assert misfit.reason == "1 x 1g.5gb, 2 x 3g.20gb take 9 parts of memory, and one A100-40GB has 8"
