"""What would have to change on one node: change after change, judging again after each."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from gateway.fleet.constraints import Constraints
from gateway.fleet.diagnosis.pod.case import Case, constraints_of
from gateway.fleet.diagnosis.pod.cures.cure import Cure, Situation
from gateway.fleet.diagnosis.pod.cures.request import free_port, open_affinity, open_pod_affinity, open_spread
from gateway.fleet.diagnosis.pod.cures.room import make_room
from gateway.fleet.diagnosis.pod.cures.taints import uncordon, untaint
from gateway.fleet.diagnosis.pod.near import APART, SHUNNED, near
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
    said = _says(case, pod, candidate)
    while isinstance(said, Refusal) and len(steps) < _MOST_CHANGES:
        cure = _cure(case, pod, candidate, said)
        if cure is None:
            break
        pod, candidate = cure.pod, cure.candidate
        said = _says(case, pod, candidate)
        steps.append(Step(cure=cure, then=said))
    return Plan(node=name, steps=tuple(steps))


def counts_others(pod: Pod) -> bool:
    """Whether it must be spread, or be beside others: what is changed may bear on that."""
    constraints = pod.constraints
    return isinstance(constraints, Constraints) and bool(constraints.spread or constraints.beside)


def _says(case: Case, pod: Pod, candidate: Candidate) -> Judgement:
    """What the node says, asking of other nodes only where that may have changed."""
    said, name = near(pod, candidate), candidate.node.name
    if isinstance(said, Refusal):
        return said
    apart = next(_kept_apart(case, pod, name), None)
    is_freed = candidate.pods is not case.view.candidates[name].pods
    if counts_others(pod) or (apart and is_freed):
        return judge(pod, name, replace(case.view, candidates={**case.view.candidates, name: candidate}))
    return apart or said or case.objections[name].unknown


def _kept_apart(case: Case, pod: Pod, name: str) -> Iterator[Refusal]:
    """What it said before of pods that must not be together: unless some leave, that stays so."""
    for one in case.objections[name].refusals:
        is_own = one.reasons[0].text == APART
        if one.reasons[0].text == SHUNNED or (is_own and constraints_of(pod).apart):
            yield one


def _cure(case: Case, pod: Pod, candidate: Candidate, said: Refusal) -> Cure | None:
    cure = _CURES.get(said.reasons[0].code)
    node = case.nodes[candidate.node.name]
    return cure(Situation(pod=pod, node=node, candidate=candidate, refusal=said)) if cure else None
