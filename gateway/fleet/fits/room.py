"""What makes room on a machine: work that leaves, cards that come back, another layout."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from gateway.fleet.alert import RemedyAction
from gateway.fleet.changes.work import name_of
from gateway.fleet.fits.ask import Ask
from gateway.fleet.fits.offered import offered
from gateway.fleet.fits.recut import cut_anew
from gateway.fleet.fits.step import Step, on_node, on_work
from gateway.fleet.gpu import NodeGpus
from gateway.fleet.health_reason import HealthCode
from gateway.fleet.node import KubernetesNode, Node, NodeHealth
from gateway.fleet.pod import Pod
from gateway.fleet.scheduling.resources import available, held
from gateway.fleet.scheduling.view import Candidate
from gateway.fleet.sums import total
from gateway.fleet.unknown import Maybe, Unknown

_PASSES = {HealthCode.MIG_CHANGE, HealthCode.DRIVER_UPGRADE}
"""What ends by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stock:
    """What there is on a machine of what is asked for, and who holds it."""

    node: Node
    part: KubernetesNode
    resource: str
    allocatable: int
    held: tuple[tuple[Pod, int], ...]


def make_room(node: Node, ask: Ask) -> Step | None:
    """The first that helps: to wait for what leaves anyway, to free, to repair, to cut anew."""
    stock = _stock(node, ask)
    if stock is None:
        return cut_anew(node, ask)
    if stock.allocatable >= ask.count:
        return _wait(stock) or _free(stock, ask)
    return _restore(stock, ask) or cut_anew(node, ask)


def _stock(node: Node, ask: Ask) -> _Stock | None:
    resource, part, pods = offered(node, ask), node.kubernetes, node.pods
    if not isinstance(resource, str) or not isinstance(part, KubernetesNode) or isinstance(pods, Unknown):
        return None
    allocatable = available(Candidate(node=part, pods=pods), resource)
    amounts = [(pod, held([pod], resource)) for pod in pods if not pod.ended]
    if isinstance(allocatable, Unknown):
        return None
    holders = tuple((pod, amount) for pod, amount in amounts if isinstance(amount, int) and amount)
    return _Stock(node=node, part=part, resource=resource, allocatable=allocatable, held=holders)


def _wait(stock: _Stock) -> Step | None:
    leaving = [pod for pod, _ in stock.held if pod.terminating]
    texts = ((pod.id, f"Wait until {name_of(pod)} has left {stock.node.name}") for pod in leaving)
    if not leaving:
        return None
    return Step(remedies=on_work(RemedyAction.WAIT, texts), after=_without(stock.node, leaving))


def _free(stock: _Stock, ask: Ask) -> Step | None:
    lacking = ask.count - stock.allocatable + sum(amount for _, amount in stock.held)
    chosen = _fewest(stock.held, lacking)
    what = f"x {stock.resource} of {stock.node.name}"
    texts = ((pod.id, f"Free {amount} {what}, which {name_of(pod)} holds") for pod, amount in chosen)
    if not chosen:
        return None
    return Step(
        remedies=on_work(RemedyAction.FREE_WORKLOADS, texts),
        after=_without(stock.node, [pod for pod, _ in chosen]),
        hurts=len(chosen),
    )


def _restore(stock: _Stock, ask: Ask) -> Step | None:
    """Bring back cards or slices that are there and not allocatable."""
    node, expected = stock.node, _expected(stock.node, ask)
    if not isinstance(expected, int) or expected < ask.count:
        return None
    reasons = node.health.reasons if isinstance(node.health, NodeHealth) else ()
    passing = any(reason.code in _PASSES for reason in reasons)
    said = "; ".join(reason.message for reason in reasons) or f"{expected} x {stock.resource} are expected"
    action, verb = (RemedyAction.WAIT, "Wait for") if passing else (RemedyAction.REPAIR_NODE, "Repair")
    whole = stock.part.allocatable.set(stock.resource, Decimal(expected))
    return Step(
        remedies=on_node(action, f"{verb} {node.name}: {said}", node),
        after=replace(node, kubernetes=replace(stock.part, allocatable=whole)),
    )


def _fewest(holders: Iterable[tuple[Pod, int]], lacking: int) -> list[tuple[Pod, int]]:
    """The smallest that is enough by itself; else the largest, and so on with what is then lacking."""
    left = sorted(holders, key=lambda one: (one[1], name_of(one[0])))
    chosen: list[tuple[Pod, int]] = []
    while lacking > 0 and left:
        largest = max(left, key=lambda one: one[1])
        one = next((one for one in left if one[1] >= lacking), largest)
        left.remove(one)
        chosen.append(one)
        lacking -= one[1]
    return chosen


def _without(node: Node, leaving: Iterable[Pod]) -> Node:
    pods, gone = node.pods if isinstance(node.pods, tuple) else (), {pod.uid for pod in leaving}
    return replace(node, pods=tuple(pod for pod in pods if pod.uid not in gone))


def _expected(node: Node, ask: Ask) -> Maybe[int]:
    """How many cards or slices are there, allocatable or not."""
    if ask.profile is None:
        return node.gpus.whole_cards if isinstance(node.gpus, NodeGpus) else None
    groups = node.mig_slices if isinstance(node.mig_slices, tuple) else ()
    return total((one.resource_name, one.slices) for one in groups if one.profile.name == ask.profile.name)
