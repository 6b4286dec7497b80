"""OTHER: host ports, topology spread, affinity to pods, volumes and claims of devices."""

from gateway.fleet.alert import Evidence
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.case import Case, check_of
from gateway.fleet.diagnosis.pod.words import SHOWN, of_nodes, of_pod
from gateway.fleet.scheduling.histogram import histogram

_CHECK = DiagnosisCheck.OTHER


def other(case: Case) -> DiagnosisStep | None:
    """Judge the rest of the rules; None: none of them has anything to say."""
    outcome, refused = case.outcome(_CHECK), case.refused[_CHECK]
    if outcome is StepOutcome.PASS:
        return None
    said = f"{of_nodes(refused, case.candidates)}: {_reasons(case)}" if refused else ""
    untold = next((one.unknown for one in case.objections.values() if one.unknown), None)
    if outcome is StepOutcome.UNKNOWN:
        why = untold.reason if untold else case.untold.reason if case.untold else "nodes are silent"
        said = "; ".join(part for part in (said, f"not known: {why}") if part)
    return DiagnosisStep(check=_CHECK, outcome=outcome, finding=said, evidence=_evidence(case))


def _reasons(case: Case) -> str:
    found = (
        part
        for name in case.candidates
        for one in case.objections[name].refusals
        if check_of(one) is _CHECK
        for part in one.reasons
    )
    return ", ".join(f"{part.nodes} {part.text}" for part in histogram(found)[:SHOWN])


def _evidence(case: Case) -> tuple[Evidence, ...]:
    """What its scheduler said when it tried last: it knows what is not judged here."""
    told = case.pod.turned_down
    return (of_pod(case, f"status.conditions[{told.type}]", told.message),) if told else ()
