"""SCHEDULING_GATES: whether somebody keeps every scheduler from the pod."""

from gateway.fleet.alert import Remedy, RemedyAction
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.case import Case
from gateway.fleet.diagnosis.pod.words import of_pod
from gateway.fleet.reasons.reason import PendingCode

_CHECK = DiagnosisCheck.SCHEDULING_GATES


def scheduling_gates(case: Case) -> DiagnosisStep:
    """Judge its gates: whoever set one must take it away, and until then no scheduler looks at it."""
    if not case.pod.gated:
        said = "no scheduling gate is set"
        return DiagnosisStep(check=_CHECK, outcome=StepOutcome.PASS, finding=said)
    said = "a scheduling gate is set: no scheduler looks at it, nor is an event written"
    text = "whoever set spec.schedulingGates has to take them away (Kueue does where it admits the workload)"
    return DiagnosisStep(
        check=_CHECK,
        outcome=StepOutcome.FAIL,
        finding=said,
        code=PendingCode.SCHEDULING_GATED,
        evidence=(of_pod(case, "spec.schedulingGates", "set"),),
        remedies=(Remedy(action=RemedyAction.OTHER, text=text, subject=case.pod.id),),
    )
