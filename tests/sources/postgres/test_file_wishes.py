import itertools
import re

import pytest

from gateway.errors import Invalid
from gateway.fleet.change import SetCordon, SetMigLayout
from gateway.fleet.desired import CardLayout, MigLayout, ProfileCount
from gateway.sources.postgres.platform_file import read_platform_file


@pytest.fixture
def wishes(tmp_path):
    """What a file asks of its only node."""

    def wishes_of(desired, target="KUBERNETES"):
        file = tmp_path / "platform.yaml"
        file.write_text(f"nodes:\n  - name: a\n    target: {target}\n    desired: {desired}\n")
        return read_platform_file(file).wishes

    return wishes_of


def layout(**asked):
    return SetMigLayout(cluster="fleet", node="a", layout=MigLayout(**asked))


def test_a_cordon_and_a_configuration_are_two_wishes(wishes):
    assert wishes("{cordoned: true, cordonReason: fan, migLayout: {config: all-1g.10gb}}") == (
        SetCordon(cluster="fleet", node="a", cordoned=True, reason="fan"),
        layout(config="all-1g.10gb"),
    )


def test_a_layout_is_read_card_by_card(wishes):
    halves = CardLayout(devices=(0, 1), profiles=(ProfileCount(profile="3g.40gb", count=2),))
    whole = CardLayout(devices=(2,), profiles=())
    cards = "[{devices: [0, 1], profiles: {3g.40gb: 2}}, {devices: [2], profiles: {}}]"

    assert wishes(f"{{migLayout: {{cards: {cards}}}}}") == (layout(cards=(halves, whole)),)
    assert wishes("{migLayout: {cards: [{profiles: {3g.40gb: 2}}]}}") == (
        layout(cards=(CardLayout(devices=None, profiles=halves.profiles),)),
    )


@pytest.mark.parametrize("desired", ["", "{}", "{cordoned: null, migLayout: null}"])
def test_what_is_left_out_is_not_asked_for(wishes, desired):
    assert wishes(desired, "SLURM") == ()


CARDS = "{{migLayout: {{cards: {}}}}}".format
MISTAKES = {
    "[]": "4: node a: desired: is a list; write a mapping of keys and values",
    "{cordoned: 1}": "4: node a: desired.cordoned: is '1'; write true or false",
    "{cordonReason: fan}": (
        "4: node a: desired.cordonReason: of no cordon; add cordoned: true, or leave it out"
    ),
    "{migLayout: all-1g.10gb}": (
        "4: node a: desired.migLayout: is 'all-1g.10gb'; write a mapping of keys and values"
    ),
    "{migLayout: {}}": "4: node a: desired.migLayout: write config or cards, one of them",
    "{migLayout: {config: x, cards: [{profiles: {}}]}}": (
        "4: node a: desired.migLayout: write config or cards, one of them"
    ),
    CARDS("[]"): "4: node a: desired.migLayout.cards: names none; write how some are cut",
    CARDS("[{devices: [0]}]"): "4: node a: desired.migLayout.cards: profiles is missing; add it",
    CARDS("[{devices: [-1], profiles: {}}]"): (
        "4: node a: desired.migLayout.cards: devices: is '-1'; write a whole number from 0 to 2147483647"
    ),
    CARDS("[{profiles: {1g.10gb: 0}}]"): (
        "4: node a: desired.migLayout.cards: profiles: 1g.10gb: is '0';"
        " write a whole number from 1 to 2147483647"
    ),
}


@pytest.mark.parametrize(("desired", "line"), MISTAKES.items(), ids=itertools.count())
def test_a_mistake_is_one_line_with_its_place_and_the_fix(wishes, desired, line):
    with pytest.raises(Invalid) as caught:
        wishes(desired)

    assert re.sub(r"^.*/platform\.yaml:", "", str(caught.value).splitlines()[0]) == line


def test_nothing_may_be_asked_of_a_node_that_serves_slurm(wishes):
    with pytest.raises(Invalid, match=r":4: node a: desired: serves SLURM, where nothing is carried out"):
        wishes("{cordoned: true}", "SLURM")
