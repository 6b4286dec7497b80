"""What a node's cards offer once they are cut under a layout."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from gateway.simulator.operator.port import Json

GPU, SLICE = "nvidia.com/gpu", "nvidia.com/mig-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What is advertised, and what the labels say of it."""

    resources: Mapping[str, int]
    labels: Mapping[str, str] = field(default_factory=dict)


Layouts: TypeAlias = Mapping[str, Cut]
"""Each configuration that the MIG manager of a node knows, by the name that the label has."""


def read_cuts(text: str, cards: int) -> Layouts:
    """Read the MIG manager's file for a node with so many cards, as far as its rules are for all boards."""
    entries = yaml.safe_load(text)["mig-configs"]
    return {
        name.replace("+", "."): Cut(resources=_resources(rules, cards)) for name, rules in entries.items()
    }


def _resources(rules: list[Json], cards: int) -> Mapping[str, int]:
    offered = Counter({GPU: cards})
    for rule in rules:
        devices = range(cards) if rule["devices"] == "all" else rule["devices"]
        for profile, count in (rule.get("mig-devices") or {}).items():
            offered[SLICE + profile.replace("+", ".")] += count * len(devices)
        offered[GPU] -= len(devices) if rule["mig-enabled"] else 0
    return dict(offered)
