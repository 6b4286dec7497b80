"""Whether kube-scheduler would make room by evicting others."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gateway.fleet.diagnosis.pod.near import near
from gateway.fleet.pod import Pod
from gateway.fleet.scheduling.preemption import prospect
from gateway.fleet.scheduling.verdict import NodeVerdict, priority
from gateway.fleet.scheduling.view import ClusterView, Refusal
from gateway.fleet.unknown import Unknown

_MOST_TRIED = 5
"""A hard question is left open rather than keep every other caller waiting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Eviction:
    """What evicting pods of lower priority would bring."""

    node: str | None
    """Where it would make room, the first by name."""
    is_open: bool = False
    """Nobody can say whether it would anywhere."""


def eviction_of(pod: Pod, verdicts: Iterable[NodeVerdict], view: ClusterView) -> Eviction:
    """Look for a node where it would make room."""
    is_open, tried = False, 0
    for verdict in verdicts:
        if not _may_help(pod, verdict, view):
            continue
        helps = prospect(pod, verdict, view).helps
        if helps is True:
            return Eviction(node=verdict.node)
        tried += 1
        is_open |= isinstance(helps, Unknown) or tried == _MOST_TRIED
        if tried == _MOST_TRIED:
            break
    return Eviction(node=None, is_open=is_open)


def _may_help(pod: Pod, verdict: NodeVerdict, view: ClusterView) -> bool:
    """Whether the rules that are about this node alone would be content."""
    if isinstance(verdict.fits, Unknown):
        return True
    if not verdict.resolvable or not pod.preempts:
        return False
    candidate = view.candidates[verdict.node]
    if isinstance(candidate.pods, Unknown):
        return True
    staying = tuple(one for one in candidate.pods if priority(one) >= priority(pod))
    return len(staying) < len(candidate.pods) and not isinstance(
        near(pod, replace(candidate, pods=staying)), Refusal
    )
