"""What would have to change on one node: change after change, judging again after each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from gateway.fleet.diagnosis.pod.case import Case
from gateway.fleet.diagnosis.pod.cures.cure import Cure, Situation
from gateway.fleet.diagnosis.pod.cures.request import free_port, open_affinity, open_pod_affinity, open_spread
from gateway.fleet.diagnosis.pod.cures.room import make_room
from gateway.fleet.diagnosis.pod.cures.taints import uncordon, untaint
from gateway.fleet.pod import Pod
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.verdict import judge
from gateway.fleet.scheduling.view import ClusterView, Refusal
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
    pod, view, steps = case.pod, case.view, list[Step]()
    said = judge(pod, name, view)
    while isinstance(said, Refusal) and len(steps) < _MOST_CHANGES:
        cure = _cure(case, pod, view, said, name)
        if cure is None:
            break
        pod, view = cure.pod, _with(view, name, cure)
        said = judge(pod, name, view)
        steps.append(Step(cure=cure, then=said))
    return Plan(node=name, steps=tuple(steps))


def _cure(case: Case, pod: Pod, view: ClusterView, said: Refusal, name: str) -> Cure | None:
    cure = _CURES.get(said.reasons[0].code)
    if cure is None:
        return None
    return cure(Situation(pod=pod, node=case.nodes[name], candidate=view.candidates[name], refusal=said))


def _with(view: ClusterView, name: str, cure: Cure) -> ClusterView:
    return replace(view, candidates={**view.candidates, name: cure.candidate})
