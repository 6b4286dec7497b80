"""Writes layouts as the MIG manager reads them (mig-parted's schema v1)."""

from collections.abc import Mapping, Sequence

from gateway.fleet.placement.node import Cut


def layout_text(cuts: Sequence[Cut]) -> str:
    """Write how each card of a node is cut, by index: the same cuts are the same text."""
    raise NotImplementedError


def layout_name(text: str) -> str:
    """The name of a configuration that the gateway adds: by its content, so its meaning never changes."""
    raise NotImplementedError


def layouts_document(texts: Mapping[str, str]) -> str:
    """Write a whole configuration file from texts by name."""
    raise NotImplementedError
