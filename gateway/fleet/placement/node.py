"""A layout on one node: which card is cut how, and what the node then offers."""

from collections.abc import Mapping
from dataclasses import dataclass

from gateway.fleet.desired import MigLayout
from gateway.fleet.gpu import GpuType, MigStrategy
from gateway.fleet.layouts import LayoutFile
from gateway.fleet.node import Node
from gateway.fleet.unknown import Unknown

Cut = Mapping[str, int]
"""Slices of one card by profile; empty: left whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFacts:
    """What decides which layouts a node can have."""

    kind: GpuType
    cards: int
    strategy: MigStrategy
    files: tuple[LayoutFile, ...] = ()
    """What the cluster's MIG managers are configured with; none: not to be seen."""


def card_facts(node: Node) -> CardFacts | Unknown:
    """What a node's cards are; unknown where a layout for it cannot be judged."""
    raise NotImplementedError


def cuts_of(layout: MigLayout, facts: CardFacts) -> tuple[Cut, ...] | Unknown:
    """How a valid layout cuts each card of a node, by index."""
    raise NotImplementedError


def expected_resources(layout: MigLayout, facts: CardFacts) -> Mapping[str, int] | Unknown:
    """What a node has allocatable under a layout, by resource; whole cards are nvidia.com/gpu, 0 too."""
    raise NotImplementedError
