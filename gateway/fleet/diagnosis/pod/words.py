"""How the checks of a pod speak of nodes and amounts, and quote what Kubernetes says."""

from collections.abc import Collection, Iterable
from decimal import Decimal

from gateway.fleet.alert import Evidence
from gateway.fleet.diagnosis.pod.case import Case
from gateway.fleet.discrepancies.evidence import counted, kubernetes
from gateway.fleet.node import Taint
from gateway.fleet.quantity import write_decimal

_MOST_NAMED = 3
_MILLI = 1000
_BINARY = ((2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki"))
_IN_BYTES = {"memory", "ephemeral-storage"}
SHOWN = 5
"""The most pieces of evidence of one kind that a step shows."""


def some(names: Iterable[str]) -> str:
    """The first of these by name, and how many more."""
    listed = sorted(names)
    more = len(listed) - _MOST_NAMED
    return ", ".join(listed[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def of_nodes(part: Collection[object], whole: Collection[object]) -> str:
    """How many of how many: 3 of 15 nodes, each of the 15 nodes."""
    if len(part) == len(whole):
        return "the only node" if len(whole) == 1 else f"each of the {len(whole):,} nodes"
    return f"{len(part):,} of {counted(len(whole), 'node')}"


def scope(case: Case, devices: Collection[str]) -> str:
    """Which nodes the checks look at."""
    if not devices or len(case.candidates) == len(case.view.candidates):
        return ""
    offer = "offers" if len(case.candidates) == 1 else "offer"
    return f" that {offer} {', '.join(devices)}"


def of_node(case: Case, name: str, path: str, value: object) -> Evidence:
    """What Kubernetes says of a node."""
    return kubernetes(case.fleet, case.pod.cluster, f"nodes/{name} {path}", value)


def of_pod(case: Case, path: str, value: object) -> Evidence:
    """What Kubernetes says of the pod."""
    at = f"pods/{case.pod.namespace}/{case.pod.name}"
    return kubernetes(case.fleet, case.pod.cluster, f"{at} {path}", value, "pods")


def of_pods_on(case: Case, name: str, path: str, value: object) -> Evidence:
    """What Kubernetes says of all pods of a node together."""
    return kubernetes(case.fleet, case.pod.cluster, f"pods on {name} {path}", value, "pods")


def written(taint: Taint) -> str:
    """A taint as kubectl writes it."""
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"


def amount(resource: str, units: int) -> str:
    """An amount, exactly, as people write it, of what the scheduler counts in whole units."""
    if resource == "cpu":
        return write_decimal(Decimal(units) / _MILLI)
    if resource not in _IN_BYTES:
        return f"{units:,}"
    size, unit = next(((size, unit) for size, unit in _BINARY if units % size == 0), (1, " bytes"))
    return f"{units // size:,}{unit}"
