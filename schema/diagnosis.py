"""What was checked, and what was found."""

from gateway.fleet.diagnosis import diagnosis as records
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, StepOutcome
from gateway.fleet.reasons.reason import PendingCode
from resolvers import diagnosis as resolve
from schema.alert import Evidence, Remedy
from schema.paging import Connection
from schema.provenance import EVERY, MACHINES, derived
from schema.verdict import NodeVerdict
from schema.view import answer, attribute, view

_ORIGIN = derived("diagnosis", *EVERY)


@view(records.DiagnosisStep)
class DiagnosisStep:
    """One check of a diagnosis."""

    check: DiagnosisCheck = attribute("What was checked.", _ORIGIN)
    outcome: StepOutcome = attribute("What came of it; UNKNOWN also where a system is silent.", _ORIGIN)
    finding: str = attribute("For people; of a machine it ends with the kubectl command to see.", _ORIGIN)
    evidence: list[Evidence] = attribute("What systems say.")
    remedies: list[Remedy] = attribute("What to do about it.")


@view(records.Diagnosis)
class Diagnosis:
    """Why a pod waits, and the least that would have to change."""

    verdict: str = attribute("What the checks come to, for people.", _ORIGIN)
    code: PendingCode | None = attribute(
        "What it waits for, for bots; null where nothing keeps it, or nobody can say what.", _ORIGIN
    )
    remedies: list[Remedy] = attribute(
        "The least change after which it runs; where one only uncovers the next reason, it says so."
    )
    steps: list[DiagnosisStep] = attribute("The checks, in the order in which they were made.")
    nodes: Connection[NodeVerdict] = answer(resolve.nodes, needs=MACHINES)
