"""What a pod is judged by: its cluster as a scheduler sees it, and all that speaks against each node."""

from collections.abc import Mapping
from dataclasses import dataclass

from gateway.fleet.constraints import Constraints
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, StepOutcome
from gateway.fleet.diagnosis.pod.eviction import Eviction, eviction_of
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import is_gpu_resource
from gateway.fleet.node import Node
from gateway.fleet.pod import Pod
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.cluster import seen_by_scheduler
from gateway.fleet.scheduling.resources import available, resources
from gateway.fleet.scheduling.verdict import NodeVerdict, filters_of, verdicts
from gateway.fleet.scheduling.view import Candidate, ClusterView, Filter, Refusal
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown

_CHECKS: Mapping[PendingCode, DiagnosisCheck] = {
    PendingCode.CORDONED: DiagnosisCheck.TAINTS,
    PendingCode.UNTOLERATED_TAINT: DiagnosisCheck.TAINTS,
    PendingCode.NODE_AFFINITY: DiagnosisCheck.NODE_AFFINITY,
    PendingCode.INSUFFICIENT_RESOURCE: DiagnosisCheck.CAPACITY,
    PendingCode.TOO_MANY_PODS: DiagnosisCheck.CAPACITY,
}
"""Which check is about what a node says; all else is OTHER."""
_IN_ORDER = (
    DiagnosisCheck.TAINTS,
    DiagnosisCheck.NODE_AFFINITY,
    DiagnosisCheck.CAPACITY,
    DiagnosisCheck.OTHER,
)
_Names = frozenset[str]
KUBE_SCHEDULER = "default-scheduler"


@dataclass(frozen=True, slots=True, kw_only=True)
class Objections:
    """All that speaks against one node; to a scheduler it tells only the first."""

    refusals: tuple[Refusal, ...]
    unknown: Unknown | None
    """Of what does not speak against it, why nobody can say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A pod, and what its checks are made on."""

    pod: Pod
    fleet: Fleet
    nodes: Mapping[str, Node]
    """The machines of its cluster, by name."""
    view: ClusterView
    """Without itself, where it is bound: it is judged as if it were to be placed now."""
    verdicts: tuple[NodeVerdict, ...]
    objections: Mapping[str, Objections]
    candidates: _Names
    """Nodes that offer all the devices it asks for; every node, where none does."""
    refused: Mapping[DiagnosisCheck, _Names]
    """The candidates that do not pass each check."""
    silence: Unknown | None
    """Why its cluster does not tell of its nodes."""
    eviction: Eviction
    """What evicting others would bring; nothing, where it need not be asked."""

    @property
    def fits(self) -> tuple[str, ...]:
        """The nodes that would take it, by name."""
        return tuple(one.node for one in self.verdicts if one.fits is True)

    @property
    def is_placed(self) -> bool:
        """Whether it does not wait for a node: it has one, or it has ended."""
        return self.pod.node_name is not None or self.pod.ended

    @property
    def is_kube_schedulers(self) -> bool:
        """Whether kube-scheduler places it."""
        return self.pod.scheduler_name in {None, KUBE_SCHEDULER}

    @property
    def evicts_for_it(self) -> bool:
        """Whether its scheduler makes room for it."""
        return self.is_kube_schedulers and self.eviction.node is not None

    @property
    def untold(self) -> Unknown | None:
        """Why it cannot be said of all nodes, silence before all."""
        return first_unknown(self.silence, *(one.fits for one in self.verdicts))

    def outcome(self, check: DiagnosisCheck) -> StepOutcome:
        """FAIL: it leaves none of the candidates, by itself or of those that the checks before it left."""
        refused = self.refused[check]
        left = self._left_before(check)
        if refused and (refused == self.candidates or (left and left <= refused)):
            return StepOutcome.FAIL
        if self._unknown(check):
            return StepOutcome.UNKNOWN
        return StepOutcome.WARN if refused else StepOutcome.PASS

    def _left_before(self, check: DiagnosisCheck) -> _Names:
        earlier = _IN_ORDER[: _IN_ORDER.index(check)]
        return self.candidates.difference(*(self.refused[one] for one in earlier))

    def _unknown(self, check: DiagnosisCheck) -> bool:
        """Whether a check cannot be made: all need what the pod says, some the pods that run."""
        if isinstance(self.pod.constraints, Unknown) or self.silence:
            return True
        untold = [name for name in self.candidates if self.objections[name].unknown]
        if check is DiagnosisCheck.CAPACITY:
            return any(self._is_uncounted(name) for name in untold)
        return check is DiagnosisCheck.OTHER and any(
            isinstance(self.view.candidates[name].pods, Unknown) or not self._is_uncounted(name)
            for name in untold
        )

    def _is_uncounted(self, name: str) -> bool:
        """Whether nobody can say what a node has left for it."""
        return isinstance(resources(self.pod)(self.view.candidates[name]), Unknown)


def case_of(pod: Pod, fleet: Fleet) -> Case:
    """What the checks of a pod are made on."""
    nodes = {one.name: one for one in fleet.listings.nodes.group("cluster", pod.cluster).values()}
    view = _view(pod, fleet, nodes)
    said = verdicts(pod, view)
    filters = filters_of(pod, view)
    candidates = _candidates(pod, view)
    objections = {
        one.node: _objections(one, filters, view.candidates[one.node])
        for one in said
        if one.node in view.candidates
    }
    return Case(
        pod=pod,
        fleet=fleet,
        nodes=nodes,
        view=view,
        verdicts=said,
        objections=objections,
        candidates=candidates,
        refused=_refused(candidates, objections),
        silence=first_unknown(fleet.nodes(pod.cluster)),
        eviction=_eviction(pod, said, view),
    )


def check_of(refusal: Refusal) -> DiagnosisCheck:
    """The check that a node's words are about."""
    return _CHECKS.get(refusal.reasons[0].code, DiagnosisCheck.OTHER)


def constraints_of(pod: Pod) -> Constraints:
    """What it demands of a node; nothing, where that cannot be read."""
    return Constraints() if isinstance(pod.constraints, Unknown) else pod.constraints


def devices_of(pod: Pod) -> tuple[str, ...]:
    """The GPU resources that it asks for, by name."""
    return tuple(sorted(name for name, amount in pod.requests.items() if is_gpu_resource(name) and amount))


def _view(pod: Pod, fleet: Fleet, nodes: Mapping[str, Node]) -> ClusterView:
    view = seen_by_scheduler(fleet, pod.cluster)
    if isinstance(view, Unknown):
        return ClusterView(candidates={}, silent=dict.fromkeys(nodes, view))
    bound = pod.node_name if pod.node_name in view.candidates else None
    return view.without(bound, (pod,)) if bound else view


def _objections(verdict: NodeVerdict, filters: tuple[Filter, ...], candidate: Candidate) -> Objections:
    said = () if verdict.fits is True else [one(candidate) for one in filters]
    refusals = tuple(one for one in said if isinstance(one, Refusal))
    if not refusals and verdict.reasons:  # room is kept there for pods that go before it
        refusals = (Refusal(reasons=verdict.reasons, resolvable=verdict.resolvable),)
    unknown = next((one for one in said if isinstance(one, Unknown)), None)
    return Objections(refusals=refusals, unknown=unknown)


def _eviction(pod: Pod, said: tuple[NodeVerdict, ...], view: ClusterView) -> Eviction:
    if pod.ended or pod.node_name is not None or any(one.fits is True for one in said):
        return Eviction(node=None)
    return eviction_of(pod, said, view)


def _refused(candidates: _Names, objections: Mapping[str, Objections]) -> Mapping[DiagnosisCheck, _Names]:
    found: dict[DiagnosisCheck, set[str]] = {check: set() for check in _IN_ORDER}
    for name in candidates:
        for refusal in objections[name].refusals:
            found[check_of(refusal)].add(name)
    return {check: frozenset(names) for check, names in found.items()}


def _candidates(pod: Pod, view: ClusterView) -> _Names:
    devices = devices_of(pod)
    offering = (
        name for name, one in view.candidates.items() if all(available(one, device) for device in devices)
    )
    return frozenset(offering) or frozenset(view.candidates)
