"""Judges a release: the work that would go on without a tenant must be known to whoever asks."""

from gateway.fleet.change import ReleaseNode
from gateway.fleet.changes.acknowledged import unacknowledged
from gateway.fleet.changes.found import machine, plan_of
from gateway.fleet.changes.judgement import Judgement
from gateway.fleet.changes.work import counted, impact_on, work_on
from gateway.fleet.fleet import Fleet
from gateway.fleet.node import Node
from gateway.fleet.platform import NodeRecord
from gateway.fleet.problem import Problem
from gateway.fleet.terms import node_cards


def judge_release(change: ReleaseNode, fleet: Fleet) -> Judgement:
    """Whether a machine may be taken back from its tenant."""
    node = machine(change, fleet)
    if isinstance(node, Judgement):
        return node
    plan, cards = plan_of(change, node), node_cards(node)
    if plan == ():
        said = f"{node.name} is held by nobody: nothing changes"
        return Judgement(change=change, problem=None, impact=impact_on((), said, cards=cards))
    work = work_on(node)
    said = f"{node.name} is taken back from {_holder(node)}; {counted(work)} there would go on without it"
    held = unacknowledged(work, change.acknowledged, f"runs on {node.name}")
    problem = plan if isinstance(plan, Problem) else held
    return Judgement(change=change, problem=problem, impact=impact_on(work, said, cards=cards))


def _holder(node: Node) -> str:
    tenant = node.record.tenant_name if isinstance(node.record, NodeRecord) else None
    return tenant or "its tenant"
