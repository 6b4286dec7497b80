"""Reads a layout as a caller wrote it: whether it says anything at all, and each name in its own form."""

import re
from collections import Counter
from dataclasses import replace

from gateway.fleet.catalogue import nvidia_smi_name
from gateway.fleet.changes.refusals import invalid
from gateway.fleet.desired import CardLayout, MigLayout
from gateway.fleet.problem import Refused

_LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
"""The value of a label."""


def in_own_form(layout: MigLayout) -> MigLayout:
    """The same with profiles as nvidia-smi writes them, and a configuration as its label does."""
    config = layout.config and layout.config.replace("+", ".")
    cards = layout.cards and tuple(map(_card_in_own_form, layout.cards))
    return MigLayout(config=config, cards=cards)


def senseless(layout: MigLayout) -> Refused | None:
    """Why no node could have a layout that is written so."""
    if (layout.config is None) == (layout.cards is None):
        return invalid("give either the name of a configuration or a layout card by card", "layout")
    if layout.config is not None:
        return _no_name(layout.config)
    if not layout.cards:
        said = "name at least one card, or all of them; to withdraw the wish leave the layout out"
        return invalid(said, "layout", "cards")
    found = (_senseless_card(one, str(at)) for at, one in enumerate(layout.cards))
    return next((refused for refused in found if refused), None)


def _card_in_own_form(card: CardLayout) -> CardLayout:
    profiles = (replace(one, profile=nvidia_smi_name(one.profile)) for one in card.profiles)
    return replace(card, profiles=tuple(profiles))


def _no_name(config: str) -> Refused | None:
    if _LABEL.fullmatch(config.replace("+", ".")):
        return None
    said = f"{config!r:.60} is no name of a configuration: it must be the value of a label"
    return invalid(said, "layout", "config")


def _senseless_card(card: CardLayout, at: str) -> Refused | None:
    path = ("layout", "cards", at)
    if card.devices == ():
        said = "no device is named: leave `devices` out for all cards, or leave this part out"
        return invalid(said, *path, "devices")
    for nth, one in enumerate(card.profiles):
        if not _LABEL.fullmatch(one.profile.replace("+", ".")):
            said = f"{one.profile!r:.60} is no name of a profile: write it as nvidia-smi does, as 1g.10gb"
            return invalid(said, *path, "profiles", str(nth), "profile")
        if one.count < 1:
            said = f"{one.count} x {one.profile}: a count is 1 or more; leave out what there shall be none of"
            return invalid(said, *path, "profiles", str(nth), "count")
    names = Counter(nvidia_smi_name(one.profile) for one in card.profiles)
    twice = next((name for name, times in names.items() if times > 1), None)
    return invalid(f"{twice} is named twice: give it one count", *path, "profiles") if twice else None
