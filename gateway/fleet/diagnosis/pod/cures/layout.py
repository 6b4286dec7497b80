"""Cures by cutting cards otherwise: the slices that are asked for, by where slices may lie on a card."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from gateway.fleet.alert import RemedyAction
from gateway.fleet.catalogue import nvidia_smi_name
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from gateway.fleet.diagnosis.pod.cures.cure import Cure, Situation
from gateway.fleet.discrepancies.evidence import counted
from gateway.fleet.gpu import MigStrategy, is_gpu_resource
from gateway.fleet.mig import MIG_PREFIX
from gateway.fleet.node import Node
from gateway.fleet.placement.node import CardFacts, card_facts
from gateway.fleet.placement.totals import divided
from gateway.fleet.scheduling.resources import available, held
from gateway.fleet.scheduling.view import Candidate
from gateway.fleet.sharing import GPU
from gateway.fleet.unknown import Unknown


def profile_of(resource: str) -> str | None:
    """The MIG profile that a resource counts slices of, as nvidia-smi writes it."""
    if not resource.startswith(MIG_PREFIX) or resource.endswith(".shared"):
        return None
    return nvidia_smi_name(resource.removeprefix(MIG_PREFIX))


def cut_idle_cards(situation: Situation, resource: str, missing: int) -> Cure | None:
    """Cut whole cards that nobody holds: it takes nothing from anybody."""
    facts = cuttable(situation.node, resource)
    whole, taken = available(situation.candidate, GPU), _held(situation.candidate, GPU)
    if not isinstance(facts, CardFacts) or not isinstance(whole, int) or not isinstance(taken, int):
        return None
    cards = _needed(facts, resource, missing, max(whole - taken, 0))
    if cards is None:
        return None
    had = available(situation.candidate, resource)
    offered = {GPU: whole - cards, resource: missing + (had if isinstance(had, int) else 0)}
    text = (
        f"cut {counted(cards, 'whole card')} of {situation.name}, which nobody holds, "
        f"into {missing} x {profile_of(resource)}"
    )
    return _recut(situation, text, _offering(situation.candidate, offered))


def cut_anew(situation: Situation, resource: str, asked: int) -> Cure | None:
    """Cut all cards anew: it takes them from whoever holds them."""
    facts, pods = cuttable(situation.node, resource), situation.candidate.pods
    if not isinstance(facts, CardFacts) or isinstance(pods, Unknown):
        return None
    cards = _needed(facts, resource, asked, facts.cards)
    if cards is None:
        return None
    holding = tuple(pod for pod in pods if pod.gpus)
    emptied = replace(situation.candidate, pods=tuple(pod for pod in pods if not pod.gpus))
    losers = counted(len(holding), "pod") if holding else "nobody"
    none = {name: 0 for name in emptied.node.allocatable if is_gpu_resource(name)}
    text = (
        f"cut {counted(cards, 'card')} of {situation.name} into {asked} x {profile_of(resource)}, "
        f"which takes the GPUs of {situation.name} from {losers}"
    )
    offered = {**none, GPU: facts.cards - cards, resource: asked}
    return _recut(situation, text, _offering(emptied, offered), evicts=len(holding))


def cuttable(node: Node, resource: str) -> CardFacts | Unknown | None:
    """What a node's cards are, where slices of this resource can be made of them; None: they cannot."""
    facts = card_facts(node)
    if isinstance(facts, Unknown):
        return facts if node.is_gpu_node else None
    known = {one.name for one in facts.kind.mig_profiles}
    return facts if facts.strategy is MigStrategy.MIXED and profile_of(resource) in known else None


def _needed(facts: CardFacts, resource: str, slices: int, cards: int) -> int | None:
    """How many cards so many slices take; None where they do not find room on these, or nobody can say."""
    cuts = divided({profile_of(resource) or "": slices}, facts.kind, cards) if cards else ()
    return len(cuts) if isinstance(cuts, tuple) and cuts else None


def _held(candidate: Candidate, resource: str) -> int | Unknown:
    pods = candidate.pods
    return pods if isinstance(pods, Unknown) else held(pods, resource)


def _offering(candidate: Candidate, amounts: Mapping[str, int]) -> Candidate:
    """The node, offering so much of some resources."""
    offered = candidate.node.allocatable.update({name: Decimal(count) for name, count in amounts.items()})
    return replace(candidate, node=replace(candidate.node, allocatable=offered))


def _recut(situation: Situation, text: str, candidate: Candidate, *, evicts: int = 0) -> Cure:
    return Cure(
        check=DiagnosisCheck.MIG_LAYOUT,
        action=RemedyAction.CHANGE_MIG_LAYOUT,
        text=text,
        subject=situation.node.id,
        pod=situation.pod,
        candidate=candidate,
        evicts=evicts,
    )
