"""The checks of a pod in the order in which an engineer makes them, and what they come to."""

from collections.abc import Callable
from typing import TypeAlias

from gateway.fleet.diagnosis.admission.gang import check_gang
from gateway.fleet.diagnosis.admission.limit_range import check_limit_range
from gateway.fleet.diagnosis.admission.queue import check_queue
from gateway.fleet.diagnosis.admission.quota import check_quota
from gateway.fleet.diagnosis.diagnosis import Diagnosis, DiagnosisStep
from gateway.fleet.diagnosis.judged_node import JudgedNode
from gateway.fleet.diagnosis.pod.capacity import capacity
from gateway.fleet.diagnosis.pod.case import Case, case_of
from gateway.fleet.diagnosis.pod.device_plugin import device_plugin
from gateway.fleet.diagnosis.pod.fragmentation import fragmentation
from gateway.fleet.diagnosis.pod.gpu_memory import gpu_memory
from gateway.fleet.diagnosis.pod.mig_layout import mig_layout
from gateway.fleet.diagnosis.pod.node_affinity import node_affinity
from gateway.fleet.diagnosis.pod.other import other
from gateway.fleet.diagnosis.pod.plans import plans_of
from gateway.fleet.diagnosis.pod.priority import priority
from gateway.fleet.diagnosis.pod.remedies import remedies_of, with_remedies
from gateway.fleet.diagnosis.pod.request_shape import request_shape
from gateway.fleet.diagnosis.pod.scheduling_gates import scheduling_gates
from gateway.fleet.diagnosis.pod.taints import taints
from gateway.fleet.diagnosis.pod.verdict import code_of, sentence
from gateway.fleet.fleet import Fleet
from gateway.fleet.pod import Pod

_Check: TypeAlias = Callable[[Case], DiagnosisStep | None]
"""None: it does not apply."""
_CHECKS: tuple[_Check, ...] = (
    request_shape,
    lambda case: check_limit_range(case.pod, case.fleet),
    lambda case: check_quota(case.pod, case.fleet),
    lambda case: check_queue(case.pod, case.fleet),
    lambda case: check_gang(case.pod, case.fleet),
    priority,
    scheduling_gates,
    taints,
    node_affinity,
    gpu_memory,
    device_plugin,
    capacity,
    mig_layout,
    fragmentation,
    other,
)


def diagnose(pod: Pod, fleet: Fleet) -> Diagnosis:
    """Say why a pod waits, and what would have to change."""
    case = case_of(pod, fleet)
    plans = plans_of(case)
    steps = tuple(with_remedies(step, plans) for check in _CHECKS if (step := check(case)))
    return Diagnosis(
        pod=pod,
        verdict=sentence(case, steps),
        code=code_of(case, steps),
        steps=steps,
        remedies=remedies_of(case, steps, plans),
        nodes=tuple(JudgedNode(node=case.nodes[one.node], verdict=one) for one in case.verdicts),
        silent=case.silence,
    )
