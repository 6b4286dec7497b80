"""What makes room on a machine: work that leaves, cards that come back, another layout."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

from gateway.fleet.alert import RemedyAction
from gateway.fleet.changes.work import counted, name_of, work_on
from gateway.fleet.fits.ask import Ask
from gateway.fleet.fits.offered import offered
from gateway.fleet.fits.step import Step, on_node, on_work
from gateway.fleet.gpu import MigStrategy, NodeGpus
from gateway.fleet.health_reason import HealthCode
from gateway.fleet.node import KubernetesNode, Node, NodeHealth
from gateway.fleet.placement.node import CardFacts, card_facts
from gateway.fleet.placement.totals import divided
from gateway.fleet.pod import Pod
from gateway.fleet.scheduling.resources import available, held
from gateway.fleet.scheduling.view import Candidate
from gateway.fleet.sums import total
from gateway.fleet.unknown import Unknown

_PASSES = {HealthCode.MIG_CHANGE, HealthCode.DRIVER_UPGRADE}
"""What ends by itself."""


def wait(node: Node, ask: Ask) -> Step | None:
    """Wait for what is leaving anyway."""
    leaving = [(pod, amount) for pod, amount in _holders(node, ask) if pod.terminating]
    if not leaving:
        return None
    texts = ((pod.id, f"Wait until {name_of(pod)} has left {node.name}") for pod, _ in leaving)
    return Step(remedies=on_work(RemedyAction.WAIT, texts), after=_without(node, [pod for pod, _ in leaving]))


def free(node: Node, ask: Ask) -> Step | None:
    """Free what the fewest pods hold that are enough."""
    holders = _holders(node, ask)
    lacking = ask.count - _has(node, ask) + sum(amount for _, amount in holders)
    chosen = _fewest(holders, lacking)
    resource = offered(node, ask)
    texts = (
        (pod.id, f"Free {amount} x {resource} of {node.name}, which {name_of(pod)} holds")
        for pod, amount in chosen
    )
    if not chosen:
        return None
    return Step(
        remedies=on_work(RemedyAction.FREE_WORKLOADS, texts),
        after=_without(node, [pod for pod, _ in chosen]),
        hurts=len(chosen),
    )


def restore(node: Node, ask: Ask) -> Step | None:
    """Bring back cards or slices that are there and not allocatable."""
    resource, expected, part = offered(node, ask), _expected(node, ask), node.kubernetes
    if not isinstance(resource, str) or not isinstance(expected, int) or not isinstance(part, KubernetesNode):
        return None
    if expected < ask.count or expected <= _has(node, ask):
        return None
    reasons = node.health.reasons if isinstance(node.health, NodeHealth) else ()
    passing = any(reason.code in _PASSES for reason in reasons)
    said = "; ".join(reason.message for reason in reasons) or f"{expected} x {resource} are expected"
    action, verb = (RemedyAction.WAIT, "Wait for") if passing else (RemedyAction.REPAIR_NODE, "Repair")
    whole = part.allocatable.set(resource, Decimal(expected))
    return Step(
        remedies=on_node(action, f"{verb} {node.name}: {said}", node),
        after=replace(node, kubernetes=replace(part, allocatable=whole)),
    )


def cut_anew(node: Node, ask: Ask) -> Step | None:
    """Cut the cards another way, which takes them from all that holds them."""
    facts, work = card_facts(node), work_on(node)
    if not isinstance(facts, CardFacts) or isinstance(work, Unknown) or not _can_be_cut(facts, ask):
        return None
    how = f"Leave {ask.count} cards of {node.name} whole" if ask.profile is None else _cut(node, ask)
    said = f"{how}, which takes its cards from {counted(work)}"
    return Step(remedies=on_node(RemedyAction.CHANGE_MIG_LAYOUT, said, node), after=None, hurts=len(work))


def _cut(node: Node, ask: Ask) -> str:
    return f"Cut the cards of {node.name} so that they give {ask.words}"


def _can_be_cut(facts: CardFacts, ask: Ask) -> bool:
    if not facts.kind.mig_profiles or facts.strategy is MigStrategy.NONE:
        return False
    if ask.profile is None:
        return ask.count <= facts.cards
    return isinstance(divided({ask.profile.name: ask.count}, facts.kind, facts.cards), tuple)


def _has(node: Node, ask: Ask) -> int:
    """What is allocatable of what is asked for."""
    resource, part = offered(node, ask), node.kubernetes
    if not isinstance(resource, str) or not isinstance(part, KubernetesNode):
        return 0
    has = available(Candidate(node=part, pods=()), resource)
    return has if isinstance(has, int) else 0


def _holders(node: Node, ask: Ask) -> list[tuple[Pod, int]]:
    """The pods that hold what would be enough if all left; none where it would not."""
    resource = offered(node, ask)
    if not isinstance(resource, str) or isinstance(node.pods, Unknown) or _has(node, ask) < ask.count:
        return []
    amounts = ((pod, held([pod], resource)) for pod in node.pods if not pod.ended)
    return [(pod, amount) for pod, amount in amounts if isinstance(amount, int) and amount]


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


def _without(node: Node, leaving: list[Pod]) -> Node:
    pods, gone = node.pods if isinstance(node.pods, tuple) else (), {pod.uid for pod in leaving}
    return replace(node, pods=tuple(pod for pod in pods if pod.uid not in gone))


def _expected(node: Node, ask: Ask) -> int | Unknown | None:
    """How many cards or slices are there, allocatable or not."""
    if ask.profile is None:
        return node.gpus.whole_cards if isinstance(node.gpus, NodeGpus) else None
    groups = node.mig_slices if isinstance(node.mig_slices, tuple) else ()
    return total((one.resource_name, one.slices) for one in groups if one.profile.name == ask.profile.name)
