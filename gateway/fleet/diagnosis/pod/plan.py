"""What would have to change on one node: change after change, judging again after each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from gateway.fleet.constraints import Constraints
from gateway.fleet.diagnosis.pod.case import Case
from gateway.fleet.diagnosis.pod.cures.cure import Cure, Situation
from gateway.fleet.diagnosis.pod.cures.request import free_port, open_affinity, open_pod_affinity, open_spread
from gateway.fleet.diagnosis.pod.cures.room import make_room
from gateway.fleet.diagnosis.pod.cures.taints import uncordon, untaint
from gateway.fleet.diagnosis.pod.near import is_far, near
from gateway.fleet.pod import Pod
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.verdict import judge
from gateway.fleet.scheduling.view import Candidate, Judgement, Refusal
from gateway.fleet.unknown import Unknown

_CURES: Mapping[PendingCode, Callable[[Situation], Cure | None]] = {
    PendingCode.CORDONED: uncordon,
    PendingCode.UNTOLERATED_TAINT: untaint,
    PendingCode.NODE_AFFINITY: open_affinity,
    PendingCode.HOST_PORT: free_port,
    PendingCode.INSUFFICIENT_RESOURCE: make_room,
    PendingCode.TOO_MANY_PODS: make_room,
    PendingCode.TOPOLOGY: open_spread,
    PendingCode.POD_AFFINITY: open_pod_affinity,
}
_MOST_CHANGES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A change, and what the node says after it."""

    cure: Cure
    then: Refusal | Unknown | None
    """None: it fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Changes after all of which a pod fits on a node."""

    node: str
    steps: tuple[Step, ...]

    @property
    def then(self) -> Refusal | Unknown | None:
        """What the node says after all of them."""
        return self.steps[-1].then if self.steps else None

    @property
    def is_enough(self) -> bool:
        """Whether nothing is left that refuses."""
        return bool(self.steps) and not isinstance(self.then, Refusal)

    @property
    def cost(self) -> tuple[bool, int, int]:
        """What tells the lesser change from the greater: known before unknown, fewer before more."""
        return isinstance(self.then, Unknown), len(self.steps), sum(step.cure.cost for step in self.steps)


def plan(case: Case, name: str) -> Plan:
    """Change one thing after the other until the node takes the pod, or nothing is known that helps."""
    pod, candidate, steps = case.pod, case.view.candidates[name], list[Step]()
    far = tuple(one for one in case.objections[name].refusals if is_far(one))
    said = _says(case, pod, candidate, far)
    while isinstance(said, Refusal) and len(steps) < _MOST_CHANGES:
        cure = _cure(case, pod, candidate, said)
        if cure is None:
            break
        pod, candidate = cure.pod, cure.candidate
        far = tuple(one for one in far if one is not said)
        said = _says(case, pod, candidate, far)
        steps.append(Step(cure=cure, then=said))
    return Plan(node=name, steps=tuple(steps))


def confirmed(case: Case, way: Plan) -> Plan:
    """The same, judged again in the whole cluster, where its changes may bear on what others' pods decide."""
    last = way.steps[-1]
    if last.then is not None or not _counts_others(last.cure.pod):
        return way
    view = replace(case.view, candidates={**case.view.candidates, way.node: last.cure.candidate})
    said = judge(last.cure.pod, way.node, view)
    return replace(way, steps=(*way.steps[:-1], replace(last, then=said)))


def _says(case: Case, pod: Pod, candidate: Candidate, far: tuple[Refusal, ...]) -> Judgement:
    """What the node says; of rules about others' pods what it said before, for fewer of those is no worse."""
    said = near(pod, candidate)
    if isinstance(said, Refusal):
        return said
    return next(iter(far), None) or said or case.objections[candidate.node.name].unknown


def _cure(case: Case, pod: Pod, candidate: Candidate, said: Refusal) -> Cure | None:
    cure = _CURES.get(said.reasons[0].code)
    node = case.nodes[candidate.node.name]
    return cure(Situation(pod=pod, node=node, candidate=candidate, refusal=said)) if cure else None


def _counts_others(pod: Pod) -> bool:
    """Whether it must be spread, or be beside others: that may get worse by what is changed."""
    constraints = pod.constraints
    return isinstance(constraints, Constraints) and bool(constraints.spread or constraints.beside)
