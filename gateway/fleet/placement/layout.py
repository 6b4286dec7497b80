"""A layout on one node: how it cuts each card, and why it cannot."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from gateway.errors import System
from gateway.fleet.catalogue import nvidia_smi_name
from gateway.fleet.desired import CardLayout, MigLayout
from gateway.fleet.gpu import MigStrategy
from gateway.fleet.layouts import LayoutRule, rules_named
from gateway.fleet.placement.card import Cut, misfit, words
from gateway.fleet.placement.node import CardFacts
from gateway.fleet.placement.totals import divided
from gateway.fleet.unknown import Unknown, undetermined

Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """Why a node cannot have a layout."""

    reason: str
    card: int | None = None
    path: Path = ()
    """The part of the layout that it is about."""


def cuts_of(layout: MigLayout, facts: CardFacts) -> tuple[Cut, ...] | Misfit | Unknown:
    """How a layout cuts each card of a node, by index; cards that it does not name are left whole."""
    if not facts.cards:
        return Misfit(reason="this node has no cards")
    if not facts.kind.mig_profiles:
        return Misfit(reason=f"the cards of this node cannot be cut: {facts.kind.name}")
    if layout.config is not None:
        return _named(layout.config, facts)
    return _by_cards(layout.cards or (), facts)


def layout_misfit(layout: MigLayout, facts: CardFacts) -> Misfit | Unknown | None:
    """Why a node cannot have a layout; None where it can."""
    cuts = cuts_of(layout, facts)
    if not isinstance(cuts, tuple):
        return cuts
    for card, cut in enumerate(cuts):
        wrong = misfit(cut, facts.kind)
        if isinstance(wrong, Unknown):
            return wrong
        if wrong:
            return _on_card(card, wrong, layout, facts)
    return _against_strategy(cuts, facts)


def _by_cards(asked: tuple[CardLayout, ...], facts: CardFacts) -> tuple[Cut, ...] | Misfit:
    cuts: dict[int, Cut] = {}
    for pick in _picks(asked, facts.cards):
        if not 0 <= pick.card < facts.cards:
            said = f"there is no card {pick.card}: this node has cards 0 to {facts.cards - 1}"
            return Misfit(reason=said, card=pick.card, path=pick.path)
        if pick.card in cuts:
            return Misfit(reason=f"card {pick.card} is named twice", card=pick.card, path=pick.path)
        cuts[pick.card] = _cut_of(pick.asked)
    return tuple(cuts.get(card, {}) for card in range(facts.cards))


def _cut_of(asked: CardLayout) -> Cut:
    """How a card is cut, by profiles in nvidia-smi's words and in their order."""
    named = ((nvidia_smi_name(one.profile), one.count) for one in asked.profiles)
    return dict(sorted(named))


class _Pick(NamedTuple):
    """A card that a part of a layout is about."""

    card: int
    asked: CardLayout
    path: Path


def _picks(asked: Iterable[CardLayout], cards: int) -> Iterator[_Pick]:
    for at, one in enumerate(asked):
        path = ("cards", str(at))
        if one.devices is None:
            yield from (_Pick(card, one, path) for card in range(cards))
        else:
            yield from (
                _Pick(card, one, (*path, "devices", str(nth))) for nth, card in enumerate(one.devices)
            )


def _named(config: str, facts: CardFacts) -> tuple[Cut, ...] | Misfit | Unknown:
    rules = rules_named(config, facts.kind, facts.files)
    if rules is None:
        return Misfit(
            reason=f"the MIG manager has no configuration {config} for {facts.kind.name}", path=("config",)
        )
    if isinstance(rules, Unknown):
        return rules
    cuts = tuple(_ruled(device, rules) for device in range(facts.cards))
    known = tuple(cut for cut in cuts if cut is not None)
    if len(known) == facts.cards:
        return known
    said = f"the configuration {config} does not tell of each card of this node how it is cut"
    return undetermined(System.KUBERNETES, said)


def _ruled(device: int, rules: Iterable[LayoutRule]) -> Cut | None:
    """How rules that are for this card cut it; None where none is, or they differ."""
    own = (rule.slices for rule in rules if rule.devices is None or device in rule.devices)
    cuts = {tuple(sorted((nvidia_smi_name(name), n) for name, n in cut.items() if n)) for cut in own}
    return dict(cuts.pop()) if len(cuts) == 1 else None


def _on_card(card: int, wrong: str, layout: MigLayout, facts: CardFacts) -> Misfit:
    picks = (pick for pick in _picks(layout.cards or (), facts.cards) if pick.card == card)
    pick = next(picks, None)
    if pick is None:
        return Misfit(reason=wrong, card=card, path=("config",))
    return Misfit(reason=wrong + _advice(pick.asked, facts), card=card, path=(*pick.path[:2], "profiles"))


def _advice(asked: CardLayout, facts: CardFacts) -> str:
    """Say how the same slices would fit, divided among the node's cards."""
    if asked.devices is not None:
        return ""
    cuts = divided(_cut_of(asked), facts.kind, facts.cards)
    if not isinstance(cuts, tuple):
        return ""
    said = "; ".join(f"card {card}: {words(cut)}" for card, cut in enumerate(cuts))
    return f". Without devices each card is cut so; these slices in all fit as {said}"


def _against_strategy(cuts: tuple[Cut, ...], facts: CardFacts) -> Misfit | None:
    if facts.strategy is MigStrategy.NONE and any(cuts):
        said = "the device plugin of this node has the MIG strategy none: it would offer no slice"
        return Misfit(reason=said)
    if facts.strategy is MigStrategy.SINGLE and not _is_single(cuts):
        said = "under the single strategy all cards of a node are whole, or all are cut into one profile"
        return Misfit(reason=said)
    return None


def _is_single(cuts: tuple[Cut, ...]) -> bool:
    """Whether the single strategy can offer such cards: all whole, or all cut into one profile."""
    return len({frozenset(cut) for cut in cuts}) <= 1 and all(len(cut) <= 1 for cut in cuts)
