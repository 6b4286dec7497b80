"""Judges a MIG layout: whether the cards can have it, and whose work would be evicted for it."""

from dataclasses import replace

from gateway.fleet.change import SetMigLayout
from gateway.fleet.changes.acknowledged import unacknowledged
from gateway.fleet.changes.found import machine, plan_of
from gateway.fleet.changes.judgement import Impact, Judgement
from gateway.fleet.changes.layout_input import in_own_form, senseless
from gateway.fleet.changes.refusals import undecided
from gateway.fleet.changes.work import counted, impact_on, work_on
from gateway.fleet.desired import MigLayout
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import NodeGpus
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.placement.layout import layout_misfit
from gateway.fleet.placement.node import card_facts
from gateway.fleet.placement.offer import Offer, expected_resources, is_reached
from gateway.fleet.pod import Pod
from gateway.fleet.problem import InvalidMigLayout, Problem, ProblemCode
from gateway.fleet.terms import node_cards
from gateway.fleet.unknown import Unknown


def judge_layout(change: SetMigLayout, fleet: Fleet) -> Judgement:
    """Whether the cards of a machine may be cut so; no layout withdraws the wish."""
    strange = senseless(change.layout) if change.layout else None
    if strange:
        return Judgement(change=change, problem=strange, impact=None)
    node = machine(change, fleet)
    if isinstance(node, Judgement):
        return node
    change = _completed(change, node)
    unfit = _unfit(change.layout, node) if change.layout else None
    impact = None if isinstance(unfit, InvalidMigLayout) else _impact(change.layout, node)
    plan = plan_of(change, node)
    if isinstance(plan, Problem):
        return Judgement(change=change, problem=plan, impact=impact)
    if not plan or unfit or impact is None:
        return Judgement(change=change, problem=unfit if plan else None, impact=impact)
    running = unacknowledged(impact.workloads, change.acknowledged, f"holds cards of {node.name}")
    return Judgement(change=change, problem=running, impact=impact)


def _completed(change: SetMigLayout, node: Node) -> SetMigLayout:
    uid = node.kubernetes.uid if isinstance(node.kubernetes, KubernetesNode) else None
    return replace(change, layout=change.layout and in_own_form(change.layout), node_uid=uid)


def _unfit(layout: MigLayout, node: Node) -> Problem | None:
    """Why a machine cannot have a layout, whatever runs on it."""
    facts = card_facts(node)
    misfit = facts if isinstance(facts, Unknown) else layout_misfit(layout, facts)
    if isinstance(misfit, Unknown):
        return undecided(misfit, f"whether {node.name} can have this layout is not known", "layout")
    if misfit is None or isinstance(facts, Unknown):
        return None
    return InvalidMigLayout(
        code=ProblemCode.INVALID_MIG_LAYOUT,
        message=f"{node.name}: {misfit.reason}",
        path=("layout", *misfit.path),
        card=misfit.card,
        valid_profiles=facts.kind.mig_profiles,
    )


def _impact(layout: MigLayout | None, node: Node) -> Impact:
    if layout is None:
        return impact_on((), f"the cards of {node.name} stay as they are", cards=0)
    if _is_cut_so(layout, node):
        return impact_on((), f"the cards of {node.name} are cut so already: nothing is touched", cards=0)
    work = work_on(node)
    evicts = not isinstance(work, Unknown) and any(isinstance(one, Pod) for one in work)
    said = f"the cards of {node.name} are cut anew, which takes them from {counted(work)}"
    return impact_on(work, said, cards=node_cards(node), evicts=evicts)


def _is_cut_so(layout: MigLayout, node: Node) -> bool:
    facts, part, gpus = card_facts(node), node.kubernetes, node.gpus
    if isinstance(facts, Unknown) or not isinstance(part, KubernetesNode) or not isinstance(gpus, NodeGpus):
        return False
    offer, resources = expected_resources(layout, facts), gpus.resources
    if not isinstance(offer, Offer) or not isinstance(resources, tuple):
        return False
    return is_reached(offer, {one.name: one.allocatable for one in resources}, part.labels)
