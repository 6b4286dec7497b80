"""FRAGMENTATION: whether there is enough in sum, and nowhere on one node."""

from collections.abc import Iterator

from gateway.fleet.alert import Evidence
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.capacity import Room, asked_of, rooms
from gateway.fleet.diagnosis.pod.case import Case, devices_of
from gateway.fleet.diagnosis.pod.words import SHOWN, of_node
from gateway.fleet.discrepancies.evidence import counted

_CHECK = DiagnosisCheck.FRAGMENTATION


def fragmentation(case: Case) -> DiagnosisStep | None:
    """Judge each device on the nodes that neither taints nor affinity close; None: it asks for none."""
    devices = devices_of(case.pod)
    if not devices:
        return None
    if case.outcome(DiagnosisCheck.CAPACITY) is StepOutcome.UNKNOWN:
        said = "what nodes have left is not known"
        return DiagnosisStep(check=_CHECK, outcome=StepOutcome.UNKNOWN, finding=said)
    asked = asked_of(case)
    scattered = {
        device: found for device in devices if (found := _scattered(case, device, asked.get(device, 0)))
    }
    if not scattered:
        said = "nothing that would be enough in sum is scattered over nodes"
        return DiagnosisStep(check=_CHECK, outcome=StepOutcome.PASS, finding=said)
    return DiagnosisStep(
        check=_CHECK,
        outcome=StepOutcome.FAIL,
        finding="; ".join(_said(device, asked[device], found) for device, found in scattered.items()),
        evidence=tuple(_evidence(case, scattered)),
    )


def _scattered(case: Case, device: str, asked: int) -> list[Room]:
    """The nodes that have some left, where all of them together have enough and none has."""
    closed = case.refused[DiagnosisCheck.TAINTS] | case.refused[DiagnosisCheck.NODE_AFFINITY]
    having = [one for one in rooms(case, device) if one.left and one.node not in closed]
    enough = sum(one.left for one in having) >= asked
    return having if having and enough and having[0].left < asked else []


def _said(device: str, asked: int, having: list[Room]) -> str:
    total, best = sum(one.left for one in having), having[0]
    where = counted(len(having), "node")
    return f"{total} of {device} are left on {where}, and {asked} on none: {best.node} has {best.left}"


def _evidence(case: Case, scattered: dict[str, list[Room]]) -> Iterator[Evidence]:
    for device, having in scattered.items():
        for one in having[:SHOWN]:
            told = f"{one.has}, {one.left} left"
            yield of_node(case, one.node, f"status.allocatable[{device}]", told)
