"""PRIORITY: whether the scheduler would make room for the pod by evicting others."""

from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.case import Case
from gateway.fleet.diagnosis.pod.words import of_pod
from gateway.fleet.scheduling.verdict import priority as weight

_CHECK = DiagnosisCheck.PRIORITY


def priority(case: Case) -> DiagnosisStep | None:
    """Judge whom it may evict: only what is lower. None: another scheduler has other rules."""
    if not case.is_kube_schedulers:
        return None
    said, outcome = _found(case)
    policy = "PreemptLowerPriority" if case.pod.preempts else "Never"
    evidence = (
        of_pod(case, "spec.priority", case.pod.priority),
        of_pod(case, "spec.priorityClassName", case.pod.priority_class),
        of_pod(case, "spec.preemptionPolicy", policy),
    )
    return DiagnosisStep(check=_CHECK, outcome=outcome, finding=said, evidence=evidence)


def _found(case: Case) -> tuple[str, StepOutcome]:
    if case.fits or case.is_placed:
        return "nobody needs to be evicted for it", StepOutcome.PASS
    if not case.pod.preempts:
        return "it may not evict anybody: its preemptionPolicy is Never", StepOutcome.WARN
    return _by_weight(case)


def _by_weight(case: Case) -> tuple[str, StepOutcome]:
    lower = f"pods of lower priority than {weight(case.pod)}"
    if case.eviction.node is not None:
        return f"evicting {lower} makes room, on {case.eviction.node} for one", StepOutcome.PASS
    if case.eviction.is_open or case.silence:
        return f"whether evicting {lower} would make room is not known", StepOutcome.UNKNOWN
    return f"evicting {lower} would make room nowhere", StepOutcome.WARN
