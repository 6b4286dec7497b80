"""Judges node by node whether a pod would be put there."""

from collections.abc import Iterator
from dataclasses import dataclass

from gateway.errors import System
from gateway.fleet.pod import Pod
from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.reason import PendingCode, PendingPart
from gateway.fleet.scheduling.host_ports import host_ports
from gateway.fleet.scheduling.node_affinity import affinity, named_nodes
from gateway.fleet.scheduling.pod_affinity import apart, beside, shunned
from gateway.fleet.scheduling.resources import resources
from gateway.fleet.scheduling.spread import spread
from gateway.fleet.scheduling.taints import cordon, taints
from gateway.fleet.scheduling.view import Candidate, ClusterView, Filter, Judgement, Refusal
from gateway.fleet.unknown import Unknown, undetermined

_OF_ALL = {PendingCode.VOLUME, PendingCode.RESOURCE_CLAIM}
_MOST_TERMS = 100
"""More alternatives and rules about other pods would keep all other callers waiting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeVerdict:
    """Whether a node does for a pod."""

    node: str
    fits: bool | Unknown
    """Unknown where what decides is not modelled, or a system is silent: never a guess."""
    reasons: tuple[PendingPart, ...] = ()
    """All that the first filter says that refuses; the next ones were not asked."""
    resolvable: bool = False
    """Whether it might do if pods left it."""


def verdicts(pod: Pod, view: ClusterView) -> tuple[NodeVerdict, ...]:
    """Judge every node of a cluster, by name."""
    judged = [_verdict(one, said) for one, said in _judged(pod, view)]
    silent = (NodeVerdict(node=name, fits=reason) for name, reason in view.silent.items())
    return tuple(sorted((*judged, *silent), key=lambda verdict: verdict.node))


def judge(pod: Pod, name: str, view: ClusterView) -> Judgement:
    """Judge one node."""
    return _judge(pod, view.candidates[name], view, filters_of(pod, view))


def _judged(pod: Pod, view: ClusterView) -> Iterator[tuple[Candidate, Judgement]]:
    before = _said_of_all(pod)
    filters = filters_of(pod, view)
    for candidate in view.candidates.values():
        yield candidate, before or _judge(pod, candidate, view, filters)


def _judge(pod: Pod, candidate: Candidate, view: ClusterView, filters: tuple[Filter, ...]) -> Judgement:
    """Both must go well: with the pods for which room is kept there, and without them."""
    name = candidate.node.name
    ahead = tuple(one for one in candidate.nominated if one.uid != pod.uid and priority(one) >= priority(pod))
    if ahead:
        crowded = view.crowded(name, ahead)
        said = _ask(filters_of(pod, crowded), crowded.candidates[name])
        if said is not None:
            return said
    return _ask(filters, candidate)


def _ask(filters: tuple[Filter, ...], candidate: Candidate) -> Judgement:
    """Ask one filter after the other; what is not known only counts where none refuses."""
    unknown: Unknown | None = None
    for one in filters:
        said = one(candidate)
        if isinstance(said, Refusal):
            return said
        unknown = unknown or said
    return unknown


def priority(pod: Pod) -> int:
    """What it weighs against others."""
    return pod.priority or 0


def filters_of(pod: Pod, view: ClusterView) -> tuple[Filter, ...]:
    """The filters in the order in which kube-scheduler asks them (1.36.3)."""
    constraints = pod.constraints
    if isinstance(constraints, Unknown):
        return (_unknown(constraints),)
    if (terms := constraints.terms) > _MOST_TERMS:
        said = f"its {terms:,} terms of affinity and spread are more than the {_MOST_TERMS} that are judged"
        return (_unknown(undetermined(System.KUBERNETES, said)),)
    return (
        named_nodes(constraints),
        cordon(constraints.tolerations),
        taints(constraints.tolerations),
        affinity(constraints),
        host_ports(constraints.host_ports),
        resources(pod),
        *_not_modelled("volumes", asked=constraints.volumes),
        spread(pod, constraints, view),
        beside(pod, constraints.beside, view),
        apart(pod, constraints.apart, view),
        shunned(pod, view),
        *_not_modelled("claims of devices", asked=constraints.claims_devices),
    )


def _said_of_all(pod: Pod) -> Unknown | None:
    """What the scheduler said of volumes or claims before it looked at any node: that hides all else."""
    reason = read_message(pod.turned_down.message or "") if pod.turned_down else None
    if reason is None or len(reason.parts) != 1:
        return None
    (part,) = reason.parts
    if part.code not in _OF_ALL or part.nodes != reason.total_nodes:
        return None
    return undetermined(System.KUBERNETES, f"when it was tried last, every node was refused: {part.text}")


def _not_modelled(rule: str, *, asked: object) -> tuple[Filter, ...]:
    if not asked:
        return ()
    return (_unknown(undetermined(System.KUBERNETES, f"its {rule} decide, and they are not judged")),)


def _unknown(reason: Unknown) -> Filter:
    return lambda _: reason


def _verdict(candidate: Candidate, said: Judgement) -> NodeVerdict:
    name = candidate.node.name
    if isinstance(said, Refusal):
        return NodeVerdict(node=name, fits=False, reasons=said.reasons, resolvable=said.resolvable)
    return NodeVerdict(node=name, fits=True if said is None else said)
