"""Whether evicting pods of lower priority would make room (kube-scheduler 1.36.3)."""

from dataclasses import dataclass

from gateway.fleet.pod import Pod
from gateway.fleet.reasons.reason import PendingCode, PendingPart
from gateway.fleet.reasons.wordings import part
from gateway.fleet.scheduling.verdict import NodeVerdict, judge, priority
from gateway.fleet.scheduling.view import ClusterView, Refusal
from gateway.fleet.unknown import Unknown

_NEVER = part(0, "not eligible due to preemptionPolicy=Never")
_HOPELESS = part(1, "Preemption is not helpful for scheduling")
_NOBODY = part(1, "No preemption victims found for incoming pod")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """What evicting all pods of lower priority from a node would bring."""

    helps: bool | Unknown
    """Budgets of disruption do not keep kube-scheduler from it, so they are not looked at."""
    reasons: tuple[PendingPart, ...] = ()
    """Why it does not help."""


def prospect(pod: Pod, verdict: NodeVerdict, view: ClusterView) -> Prospect:
    """What evicting would bring on a node that refuses a pod."""
    if not pod.preempts:
        return Prospect(helps=False, reasons=(_NEVER,))
    if isinstance(verdict.fits, Unknown):
        return Prospect(helps=verdict.fits)
    if not verdict.resolvable:
        return Prospect(helps=False, reasons=(_HOPELESS,))
    return _after_eviction(pod, verdict.node, view)


def preemption(pod: Pod, verdicts: tuple[NodeVerdict, ...], view: ClusterView) -> PendingCode | None:
    """Whether a pod that fits nowhere waits for victims to leave; None where nobody can say."""
    unknown = False
    for verdict in verdicts:
        helps = prospect(pod, verdict, view).helps
        if helps is True:
            return PendingCode.WAITING_FOR_PREEMPTION
        unknown |= isinstance(helps, Unknown)
    return None if unknown else PendingCode.PREEMPTION_IMPOSSIBLE


def _after_eviction(pod: Pod, name: str, view: ClusterView) -> Prospect:
    pods = view.candidates[name].pods
    if isinstance(pods, Unknown):
        return Prospect(helps=pods)
    victims = tuple(one for one in pods if priority(one) < priority(pod))
    if not victims:
        return Prospect(helps=False, reasons=(_NOBODY,))
    said = judge(pod, name, view.without(name, victims))
    if isinstance(said, Refusal):
        return Prospect(helps=False, reasons=said.reasons)
    return Prospect(helps=True if said is None else said)
