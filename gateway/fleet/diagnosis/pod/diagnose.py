"""The checks of a pod in the order in which an engineer makes them, and what they come to."""

from collections.abc import Callable
from typing import TypeAlias

from gateway.fleet.diagnosis.diagnosis import Diagnosis, DiagnosisStep
from gateway.fleet.diagnosis.judged_node import JudgedNode
from gateway.fleet.diagnosis.pod.capacity import capacity
from gateway.fleet.diagnosis.pod.case import Case, case_of
from gateway.fleet.diagnosis.pod.node_affinity import node_affinity
from gateway.fleet.diagnosis.pod.scheduling_gates import scheduling_gates
from gateway.fleet.diagnosis.pod.taints import taints
from gateway.fleet.diagnosis.pod.verdict import code_of, sentence
from gateway.fleet.fleet import Fleet
from gateway.fleet.pod import Pod
from gateway.fleet.sums import first_unknown

_Check: TypeAlias = Callable[[Case], DiagnosisStep | None]
"""None: it does not apply."""
_CHECKS: tuple[_Check, ...] = (
    scheduling_gates,
    taints,
    node_affinity,
    capacity,
)


def diagnose(pod: Pod, fleet: Fleet) -> Diagnosis:
    """Say why a pod waits, and what would have to change."""
    case = case_of(pod, fleet)
    steps = (check(case) for check in _CHECKS)
    return Diagnosis(
        pod=pod,
        verdict=sentence(case),
        code=code_of(case),
        steps=tuple(step for step in steps if step is not None),
        nodes=tuple(JudgedNode(node=case.nodes[one.node], verdict=one) for one in case.verdicts),
        silent=first_unknown(fleet.nodes(pod.cluster)),
    )
