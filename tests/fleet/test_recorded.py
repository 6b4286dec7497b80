"""Nodes and pods of a real API server, read and joined as the gateway does."""

import json
from pathlib import Path

import msgspec
import pytest

from gateway.fleet.unknown import Unknown
from gateway.sources.kubernetes.nodes import read_node
from gateway.sources.kubernetes.pods import read_pod
from tests.fleets import a_fleet

RECORDINGS = Path(__file__).parents[1] / "recordings" / "kubernetes"
FLEETS = sorted(folder.parent.name for folder in RECORDINGS.glob("*/accounts.json"))


def objects(fleet, kind):
    items = json.loads((RECORDINGS / fleet / f"{kind}.json").read_text(encoding="utf-8"))["items"]
    return [msgspec.Raw(msgspec.json.encode(item)) for item in items]


def machines(fleet):
    nodes = [read_node("fleet", raw, []) for raw in objects(fleet, "nodes")]
    pods = [read_pod("fleet", raw, []) for raw in objects(fleet, "pods")]
    return {node.name: node for node in a_fleet(nodes, pods).nodes("fleet").values()}


def accounts(fleet):
    """What kube-scheduler itself counts on each node."""
    lines = (RECORDINGS / fleet / "accounts.json").read_text(encoding="utf-8")
    return json.loads(lines)


@pytest.mark.parametrize("fleet", FLEETS)
def test_counts_what_kube_scheduler_counts(fleet):
    scheduler = accounts(fleet)
    ours = {
        name: {one.name: (one.allocatable, one.requested) for one in node.gpus.resources}
        for name, node in machines(fleet).items()
        if node.gpus
    }

    for name, resources in ours.items():
        told = scheduler[name]
        assert resources == {
            key: (told["allocatable"].get(key, 0), told["requested"].get(key, 0)) for key in resources
        }, name


def numbers(node):
    gpus, health = node.gpus, node.health
    counts = (gpus.cards, gpus.whole_cards, gpus.partitioned_cards, health.usable_cards)
    return tuple(None if isinstance(count, Unknown) else count for count in counts)


RECORDED = {
    # cards, whole, cut, usable
    "mig-a100-40-03": (2, 1, 1, 0),  # its layout is being changed
    "mig-a100-40-04": (2, 0, 2, 2),
    "mig-a100-80-02": (1, 0, 1, 1),
    "mig-a100-80-07": (1, 0, 1, 1),
    "mig-h100-01": (None, None, None, None),  # no labels
    "mig-h200-06": (8, 7, 1, 8),
    "amd-01": (None, None, None, None),
    "mig-a30-05": (4, 0, 4, 4),
    "mixed-02": (None, None, None, None),  # two vendors
    "slice-03": (4, 0, 4, 4),  # all-1g.10gb, under the single strategy
    "shared-a100-40-03": (2, 2, 0, 2),
    "shared-a100-40-04": (1, 1, 0, 1),
    "shared-a100-40-05": (1, 1, 0, 1),
    "shared-a100-40-07": (4, 4, 0, 3),  # one of forty shares is lost
    "shared-t4-02": (None, None, None, None),  # no count
}


def test_counts_the_cards_of_recorded_nodes():
    joined = {name: node for fleet in FLEETS for name, node in machines(fleet).items() if node.gpus}

    assert {name: numbers(node) for name, node in joined.items()} == RECORDED
