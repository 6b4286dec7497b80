"""What a file of the MIG manager makes of a node's cards."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import yaml

from gateway.simulator.operator.cut import SLICE, Cut, Layouts

GPU = "nvidia.com/gpu"


def read_cuts(text: str, cards: int) -> Layouts:
    """Read the file for a node with so many cards, as far as its rules are for all boards."""
    entries = yaml.safe_load(text)["mig-configs"]
    return {
        name.replace("+", "."): Cut(resources=_resources(rules, cards)) for name, rules in entries.items()
    }


def _resources(rules: list[dict[str, Any]], cards: int) -> Mapping[str, int]:
    offered = Counter({GPU: cards})
    for rule in rules:
        devices = range(cards) if rule["devices"] == "all" else rule["devices"]
        for profile, count in (rule.get("mig-devices") or {}).items():
            offered[SLICE + profile.replace("+", ".")] += count * len(devices)
        offered[GPU] -= len(devices) if rule["mig-enabled"] else 0
    return dict(offered)
