"""Judges who gets a machine: work of the scheduler that it serves no more must be known to whoever asks."""

from gateway.fleet.change import AssignNode
from gateway.fleet.changes.acknowledged import unacknowledged
from gateway.fleet.changes.found import machine, plan_of
from gateway.fleet.changes.judgement import Judgement
from gateway.fleet.changes.refusals import not_found, undecided
from gateway.fleet.changes.work import Work, counted, impact_on, jobs_on, pods_on
from gateway.fleet.fleet import Fleet
from gateway.fleet.platform import Target
from gateway.fleet.problem import Problem, ProblemCode, Refused
from gateway.fleet.terms import node_cards
from gateway.fleet.unknown import Unknown


def judge_assignment(change: AssignNode, fleet: Fleet) -> Judgement:
    """Whether a machine may be given to a tenant."""
    node = machine(change, fleet)
    if isinstance(node, Judgement):
        return node
    nobody = _tenant(change, fleet)
    if nobody and nobody.code is ProblemCode.NOT_FOUND:
        return Judgement(change=change, problem=nobody, impact=None)
    plan, cards = nobody or plan_of(change, node), node_cards(node)
    if plan == ():
        said = f"{node.name} serves {change.target.value} for {change.tenant} already: nothing changes"
        return Judgement(change=change, problem=None, impact=impact_on((), said, cards=cards))
    work: Work = jobs_on(node) if change.target is Target.KUBERNETES else pods_on(node)
    held = unacknowledged(work, change.acknowledged, f"holds {node.name}")
    problem = plan if isinstance(plan, Problem) else held
    return Judgement(
        change=change, problem=problem, impact=impact_on(work, _words(change, work), cards=cards)
    )


def _words(change: AssignNode, work: Work) -> str:
    said = f"{change.node} serves {change.target.value} for {change.tenant} from then on"
    return f"{said}; {counted(work)} of the other scheduler there would go on without it" if work else said


def _tenant(change: AssignNode, fleet: Fleet) -> Refused | None:
    platform = fleet.platform
    if isinstance(platform, Unknown):
        return undecided(platform, "which tenants there are is not known", "tenant")
    known = platform.tenants
    return None if change.tenant in known else not_found("tenant", change.tenant, known, "tenant")
