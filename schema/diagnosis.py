"""What was checked, and what was found."""

from gateway.fleet.diagnosis import diagnosis as records
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, StepOutcome
from schema.alert import Evidence, Remedy
from schema.provenance import EVERY, derived
from schema.view import attribute, view

ORIGIN = derived("gpu-chain", *EVERY)


@view(records.DiagnosisStep)
class DiagnosisStep:
    """One check of a diagnosis."""

    check: DiagnosisCheck = attribute("What was checked.", ORIGIN)
    outcome: StepOutcome = attribute("What came of it; UNKNOWN also where a system is silent.", ORIGIN)
    finding: str = attribute("For people; of a machine it ends with the kubectl command to see.", ORIGIN)
    evidence: list[Evidence] = attribute("What systems say.")
    remedies: list[Remedy] = attribute("What to do about it.")
