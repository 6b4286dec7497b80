"""Judges a cordon: it keeps new work away and hurts nobody."""

from gateway.fleet.change import SetCordon
from gateway.fleet.changes.found import machine, plan_of
from gateway.fleet.changes.judgement import Impact, Judgement
from gateway.fleet.changes.work import impact_on
from gateway.fleet.desired import NodeDesired
from gateway.fleet.fleet import Fleet
from gateway.fleet.live import CORDON_OWNER
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.platform import NodeRecord
from gateway.fleet.problem import Problem, ProblemCode, Refused
from gateway.fleet.terms import node_cards
from gateway.fleet.unknown import Unknown


def judge_cordon(change: SetCordon, fleet: Fleet) -> Judgement:
    """Whether a machine may be closed to new work, or opened again."""
    node = machine(change, fleet)
    if isinstance(node, Judgement):
        return node
    plan = plan_of(change, node)
    problem = plan if isinstance(plan, Problem) else _held_by_another(change, node)
    return Judgement(change=change, problem=problem, impact=_impact(change, node))


def _held_by_another(change: SetCordon, node: Node) -> Refused | None:
    """Why opening would do nothing: the gateway gives back its own cordon and no other."""
    other = _other_owner(node)
    if change.cordoned or other is None or _wished(node):
        return None
    return Refused(
        code=ProblemCode.FOREIGN_OWNER,
        message=f"{node.name} was cordoned by {other}, not by the gateway: have it uncordoned there",
        path=("cordoned",),
    )


def _impact(change: SetCordon, node: Node) -> Impact:
    other = _other_owner(node)
    if change.cordoned:
        said = f"{node.name} takes no new work; what runs there goes on"
    elif other:
        said = f"{node.name} stays closed to new work, since {other} has cordoned it"
    elif isinstance(node.kubernetes, Unknown):
        said = f"{node.name} is opened again by the gateway; whether another keeps it closed is not known"
    else:
        said = f"{node.name} takes new work again"
    return impact_on((), said, cards=node_cards(node))


def _other_owner(node: Node) -> str | None:
    """Who but the gateway holds a cordon of the machine, as far as that can be seen."""
    part = node.kubernetes
    owner = part.cordoned_by if isinstance(part, KubernetesNode) and part.cordoned else None
    return owner if isinstance(owner, str) and owner != CORDON_OWNER else None


def _wished(node: Node) -> bool:
    desired = node.record.desired if isinstance(node.record, NodeRecord) else None
    return isinstance(desired, NodeDesired) and desired.cordoned
