"""Writes layouts as the MIG manager reads them (mig-parted's schema v1)."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from textwrap import indent
from typing import Any

import yaml

from gateway.fleet.placement.card import Cut

_OURS = "gw-"
_HASHED = 12
"""Hexadecimal digits; the whole name is the value of a label, which holds 63."""


def layout_text(cuts: Sequence[Cut]) -> str:
    """Write how each card of a node is cut, by index: the same cuts are the same text."""
    return yaml.safe_dump(list(_rules(cuts)), sort_keys=False)


def layout_name(text: str) -> str:
    """The name of a configuration that the gateway adds: by its content, so its meaning never changes."""
    return _OURS + hashlib.sha256(text.encode()).hexdigest()[:_HASHED]


def layouts_document(texts: Mapping[str, str]) -> str:
    """Write a whole configuration file from texts by name."""
    if not texts:
        return "version: v1\nmig-configs: {}\n"
    entries = (f"  {name}:\n{indent(texts[name], '  ')}" for name in sorted(texts))
    return "version: v1\nmig-configs:\n" + "".join(entries)


def _rules(cuts: Sequence[Cut]) -> Iterator[dict[str, Any]]:
    """One rule for all cards that are cut alike, in the order of the first of each."""
    alike: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for card, cut in enumerate(cuts):
        alike.setdefault(tuple(sorted(cut.items())), []).append(card)
    for cut_so, cards in alike.items():
        rule: dict[str, Any] = {"devices": "all" if len(alike) == 1 else cards, "mig-enabled": bool(cut_so)}
        yield rule | {"mig-devices": dict(cut_so)} if cut_so else rule
