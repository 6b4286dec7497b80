"""Cures for a node that has too little left: of a resource, or of places for pods."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from gateway.fleet.alert import RemedyAction
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from gateway.fleet.diagnosis.pod.cures.cure import Cure, Situation
from gateway.fleet.diagnosis.pod.cures.layout import cut_anew, cut_idle_cards, profile_of
from gateway.fleet.diagnosis.pod.words import amount, some
from gateway.fleet.gpu import is_gpu_resource
from gateway.fleet.health_reason import HealthCode
from gateway.fleet.node import NodeHealth
from gateway.fleet.pod import Pod
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.resources import available, held
from gateway.fleet.scheduling.verdict import priority
from gateway.fleet.unknown import Unknown

_CHECK = DiagnosisCheck.CAPACITY
_PODS = "pods"
_CUT_ANEW = {HealthCode.MIG_CHANGE, HealthCode.MIG_FAILED, HealthCode.MIG_INVALID}
"""What such a machine will offer its cards as is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lack:
    """How much of a resource a node lacks."""

    resource: str
    asked: int
    has: int
    missing: int
    pods: tuple[Pod, ...]


def make_room(situation: Situation) -> Cure | None:
    """What could be done about the first thing that is short."""
    lack = _lack(situation)
    if lack is None or lack.missing <= 0:  # what is left is kept for pods that go before it
        return None
    if lack.has == 0:
        return _where_none_is(situation, lack)
    if lack.asked > lack.has:
        return _cut_idle(situation, lack) or _ask_for_less(situation, lack)
    return _leaving(situation, lack) or _cut_idle(situation, lack) or _free(situation, lack)


def _lack(situation: Situation) -> _Lack | None:
    reason, pods = situation.refusal.reasons[0], situation.candidate.pods
    full = reason.code is PendingCode.TOO_MANY_PODS
    resource = _PODS if full else reason.resource
    if resource is None or isinstance(pods, Unknown):
        return None
    has = available(situation.candidate, resource)
    asked = 1 if full else held((situation.pod,), resource)
    taken = len(pods) if full else held(pods, resource)
    if isinstance(has, Unknown) or isinstance(asked, Unknown) or isinstance(taken, Unknown):
        return None
    return _Lack(resource=resource, asked=asked, has=has, missing=asked + taken - has, pods=pods)


def _where_none_is(situation: Situation, lack: _Lack) -> Cure | None:
    """The node may be cut so that it has some, or is ill and would have some."""
    if profile_of(lack.resource):
        return _cut_idle(situation, lack) or cut_anew(situation, lack.resource, lack.asked)
    return _mend(situation, lack.resource) if is_gpu_resource(lack.resource) else None


def _mend(situation: Situation, resource: str) -> Cure | None:
    """End what keeps back the cards that the machine is known to have."""
    health, node = situation.node.health, situation.candidate.node
    if not isinstance(health, NodeHealth) or health.usable_cards != 0 or not health.reasons:
        return None
    if not isinstance(health.expected_cards, int) or not health.expected_cards:
        return None
    if health.reasons[0].code in _CUT_ANEW:
        return None
    mended = node.allocatable.set(resource, Decimal(health.expected_cards))
    return Cure(
        check=DiagnosisCheck.DEVICE_PLUGIN,
        action=RemedyAction.REPAIR_NODE,
        text=f"mend {situation.name}: {health.reasons[0].message} (see its gpuChain)",
        subject=situation.node.id,
        pod=situation.pod,
        candidate=replace(situation.candidate, node=replace(node, allocatable=mended)),
    )


def _cut_idle(situation: Situation, lack: _Lack) -> Cure | None:
    if not profile_of(lack.resource):
        return None
    return cut_idle_cards(situation, lack.resource, lack.missing)


def _ask_for_less(situation: Situation, lack: _Lack) -> Cure:
    pod = situation.pod
    units = Decimal(lack.has) / (1000 if lack.resource == "cpu" else 1)
    return Cure(
        check=_CHECK,
        action=RemedyAction.CHANGE_REQUEST,
        text=f"ask for at most {amount(lack.resource, lack.has)} of {lack.resource} in one pod",
        subject=pod.id,
        pod=replace(pod, requests=pod.requests.set(lack.resource, units)),
        candidate=situation.candidate,
    )


def _leaving(situation: Situation, lack: _Lack) -> Cure | None:
    """Pods that are leaving leave enough."""
    leaving = _victims(lack, (pod for pod in lack.pods if pod.terminating))
    if not leaving:
        return None
    text = f"wait for {_named(leaving)} to leave {situation.name}, which was begun"
    return _freed(situation, leaving, RemedyAction.WAIT, text)


def _free(situation: Situation, lack: _Lack) -> Cure | None:
    victims = _victims(lack, lack.pods)
    if not victims:
        return None
    what = (
        "a place for a pod"
        if lack.resource == _PODS
        else f"{amount(lack.resource, lack.missing)} {lack.resource}"
    )
    text = f"free {what} on {situation.name}, of {_named(victims)} for instance"
    return _freed(situation, victims, RemedyAction.FREE_WORKLOADS, text)


def _victims(lack: _Lack, pods: Iterable[Pod]) -> tuple[Pod, ...]:
    """The fewest of these that hold enough, those of low priority first; none where all do not."""
    holding = sorted(((_held(pod, lack.resource), pod) for pod in pods), key=_smallest_first)
    for count, pod in holding:
        if count >= lack.missing:
            return (pod,)
    chosen, freed = [], 0
    for count, pod in reversed(holding):
        chosen.append(pod)
        freed += count
        if freed >= lack.missing:
            return tuple(chosen)
    return ()


def _smallest_first(one: tuple[int, Pod]) -> tuple[int, int, str, str]:
    count, pod = one
    return count, priority(pod), pod.namespace, pod.name


def _held(pod: Pod, resource: str) -> int:
    count = 1 if resource == _PODS else held((pod,), resource)
    return count if isinstance(count, int) else 0


def _named(pods: Iterable[Pod]) -> str:
    return some(f"{pod.namespace}/{pod.name}" for pod in pods)


def _freed(situation: Situation, leaving: tuple[Pod, ...], action: RemedyAction, text: str) -> Cure:
    pods = situation.candidate.pods
    staying = pods if isinstance(pods, Unknown) else tuple(pod for pod in pods if pod not in leaving)
    return Cure(
        check=_CHECK,
        action=action,
        text=text,
        subject=situation.node.id,
        pod=situation.pod,
        candidate=replace(situation.candidate, pods=staying),
        evicts=0 if action is RemedyAction.WAIT else len(leaving),
    )
