"""CAPACITY: whether some node has left what the pod asks for, resource by resource."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gateway.fleet.alert import Evidence
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.case import Case
from gateway.fleet.diagnosis.pod.words import amount, of_node, of_pod, some
from gateway.fleet.discrepancies.evidence import counted, kubernetes
from gateway.fleet.gpu import is_gpu_resource
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.resources import available, held
from gateway.fleet.scheduling.view import Candidate
from gateway.fleet.unknown import Unknown

_CHECK = DiagnosisCheck.CAPACITY
_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a node has of a resource, and what of it is left."""

    node: str
    has: int
    left: int
    """Never below 0."""


def capacity(case: Case) -> DiagnosisStep:
    """Judge each resource: no node has it, it is too much for every node, or others hold it."""
    if not case.view.candidates and not case.view.silent:
        said = "the cluster has no nodes"
        return DiagnosisStep(check=_CHECK, outcome=StepOutcome.FAIL, finding=said)
    outcome = case.outcome(_CHECK)
    asked = asked_of(case)
    if outcome is StepOutcome.UNKNOWN:
        said = "what nodes have left for it is not known"
        return DiagnosisStep(check=_CHECK, outcome=outcome, finding=said)
    short = {name: amount for name, amount in asked.items() if _is_short(case, name)}
    parts = [_said(case, name, amount) for name, amount in short.items()]
    full = [name for name in case.candidates if _is_full(case, name)]
    if full:
        parts.append(f"no more pods may be on {some(full)}")
    return DiagnosisStep(
        check=_CHECK,
        outcome=outcome,
        finding="; ".join(parts) or "every node that offers what it asks for has so much left",
        evidence=tuple(_evidence(case, short)),
    )


def asked_of(case: Case) -> dict[str, int]:
    """What the pod asks of each resource, in whole units, devices first; what cannot be read is left out."""
    names = sorted(case.pod.requests, key=lambda name: (not is_gpu_resource(name), name))
    amounts = ((name, held((case.pod,), name)) for name in names if name != "pods")
    return {name: amount for name, amount in amounts if isinstance(amount, int) and amount}


def rooms(case: Case, resource: str) -> list[Room]:
    """What the nodes that have a resource have left of it, most first."""
    found = (room(one, resource) for one in case.view.candidates.values())
    return sorted((one for one in found if one and one.has), key=lambda one: (-one.left, one.node))


def room(candidate: Candidate, resource: str) -> Room | None:
    """What a node has left of a resource; None where that is not known."""
    has = available(candidate, resource)
    taken = candidate.pods if isinstance(candidate.pods, Unknown) else held(candidate.pods, resource)
    if isinstance(has, Unknown) or isinstance(taken, Unknown):
        return None
    return Room(node=candidate.node.name, has=has, left=max(has - taken, 0))


def _parts(case: Case, name: str) -> Iterator[tuple[PendingCode, str | None]]:
    for one in case.objections[name].refusals:
        yield from ((part.code, part.resource) for part in one.reasons)


def _is_short(case: Case, resource: str) -> bool:
    return any(
        (PendingCode.INSUFFICIENT_RESOURCE, resource) in _parts(case, name) for name in case.candidates
    )


def _is_full(case: Case, name: str) -> bool:
    return any(code is PendingCode.TOO_MANY_PODS for code, _ in _parts(case, name))


def _said(case: Case, resource: str, asked: int) -> str:
    having = rooms(case, resource)
    what = f"{amount(resource, asked)} of {resource} are asked for"
    if not having:
        return f"{what}, and no node offers any"
    most = max(one.has for one in having)
    if most < asked:
        return f"{what}, and no node has more than {amount(resource, most)}, whatever runs there"
    free = sum(one.left >= asked for one in having)
    best, offering = having[0], counted(len(having), "node")
    if free:
        return f"{what}: {free:,} of the {offering} that offer it have so much left"
    return f"{what}: of {offering} that offer it {best.node} has most left, {amount(resource, best.left)}"


def _evidence(case: Case, short: Mapping[str, int]) -> Iterator[Evidence]:
    for resource, asked in short.items():
        yield of_pod(case, f"requests[{resource}]", asked)
        for one in rooms(case, resource)[:_SHOWN]:
            yield of_node(case, one.node, f"status.allocatable[{resource}]", one.has)
            yield kubernetes(
                case.fleet,
                case.pod.cluster,
                f"pods on {one.node}: requests[{resource}]",
                one.has - one.left,
                "pods",
            )
