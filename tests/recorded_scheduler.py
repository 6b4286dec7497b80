"""What kube-scheduler said about recorded fleets, for tests of what the gateway says of them."""

import json
from pathlib import Path

import msgspec

from gateway.sources.kubernetes.nodes import read_node
from gateway.sources.kubernetes.pods import read_pod
from tests.builders import CLUSTER
from tests.fleets import a_fleet

RECORDINGS = Path(__file__).parent / "recordings" / "scheduler"
FLEETS = sorted(file.parent.name for file in RECORDINGS.glob("*/asks.json"))


def lines(name):
    """What stands in a file of one object a line."""
    return [json.loads(line) for line in (RECORDINGS / name).read_text(encoding="utf-8").splitlines()]


def asks(fleet):
    """What the scheduler said of each pod that asks."""
    return json.loads((RECORDINGS / fleet / "asks.json").read_text(encoding="utf-8"))


def accounts(fleet):
    """What the scheduler itself counts on each node."""
    return json.loads((RECORDINGS / fleet / "accounts.json").read_text(encoding="utf-8"))


def read_fleet(fleet):
    """The pods by namespace and name, and the machines, as the gateway reads and joins them."""
    nodes = [read_node(CLUSTER, raw, []) for raw in objects_of(fleet, "nodes")]
    pods = [read_pod(CLUSTER, raw, []) for raw in objects_of(fleet, "pods")]
    machines = a_fleet(nodes, pods).nodes(CLUSTER)
    return {(pod.namespace, pod.name): pod for pod in pods}, tuple(machines.values())


def objects_of(fleet, kind):
    """What Kubernetes lists of a kind."""
    items = json.loads((RECORDINGS / fleet / f"{kind}.json").read_text(encoding="utf-8"))["items"]
    return [msgspec.Raw(msgspec.json.encode(item)) for item in items]
