"""GPU_MEMORY: whether a node has the cards that the pod's selectors describe, by memory and by product."""

from collections import Counter
from collections.abc import Iterator

from gateway.fleet.alert import Evidence
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.case import Case, constraints_of
from gateway.fleet.diagnosis.pod.requirements import every, written
from gateway.fleet.diagnosis.pod.words import SHOWN, of_node
from gateway.fleet.discrepancies.evidence import counted
from gateway.fleet.selector import Operator, Requirement, read_integer

_CHECK = DiagnosisCheck.GPU_MEMORY
_KEYS = ("nvidia.com/gpu.memory", "nvidia.com/gpu.product")
_ORDERED = {Operator.GREATER_THAN, Operator.LESS_THAN}


def gpu_memory(case: Case) -> DiagnosisStep | None:
    """Judge what is required of cards, beside what there is; None: nothing is."""
    required = [one for one in every(constraints_of(case.pod)) if one.key in _KEYS]
    if not required:
        return None
    if case.silence:
        return DiagnosisStep(check=_CHECK, outcome=StepOutcome.UNKNOWN, finding="nodes are silent")
    return DiagnosisStep(
        check=_CHECK,
        outcome=_outcome(case, required),
        finding="; ".join(_said(case, one) for one in required),
        evidence=tuple(_evidence(case, required)),
    )


def _outcome(case: Case, required: list[Requirement]) -> StepOutcome:
    meeting = [len(_meeting(case, one)) for one in required]
    alternatives = len(constraints_of(case.pod).node_terms or ()) > 1
    if not any(meeting) or not (alternatives or all(meeting)):
        return StepOutcome.FAIL
    return StepOutcome.PASS if min(meeting) == len(case.candidates) else StepOutcome.WARN


def _meeting(case: Case, required: Requirement) -> list[str]:
    return [name for name in case.candidates if required.matches(case.view.candidates[name].node.labels)]


def _values(case: Case, key: str) -> Counter[str]:
    """What the nodes have under a label, and how many of them."""
    return Counter(
        case.view.candidates[name].node.labels.get(key, "no such label") for name in sorted(case.candidates)
    )


def _said(case: Case, required: Requirement) -> str:
    there = ", ".join(
        f"{value} on {count}" for value, count in _values(case, required.key).most_common(SHOWN)
    )
    meeting = counted(len(_meeting(case, required)), "node")
    said = f"{written(required)} is required, and met by {meeting}; there are {there}"
    limit = next(iter(required.values), "")
    if required.operator in _ORDERED and read_integer(limit) is None:
        return f"{said}; {limit!r} is no integer, so nothing meets it: the label counts MiB"
    return said


def _evidence(case: Case, required: list[Requirement]) -> Iterator[Evidence]:
    for key in sorted({one.key for one in required}):
        shown: set[str | None] = set()
        for name in sorted(case.candidates):
            value = case.view.candidates[name].node.labels.get(key)
            if value not in shown and len(shown) < SHOWN:
                shown.add(value)
                yield of_node(case, name, f"metadata.labels[{key}]", value)
