"""CAPACITY: whether some node has left what the pod asks for, resource by resource."""

from collections.abc import Iterator
from dataclasses import dataclass

from gateway.fleet.alert import Evidence
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.case import Case, check_of
from gateway.fleet.diagnosis.pod.words import amount, of_node, of_pod, of_pods_on, some
from gateway.fleet.discrepancies.evidence import counted
from gateway.fleet.gpu import is_gpu_resource
from gateway.fleet.reasons.reason import PendingCode, PendingPart
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A resource, and the nodes that have some of it, most left first."""

    resource: str
    asked: int
    rooms: tuple[Room, ...]

    @property
    def enough(self) -> int:
        """How many nodes have so much left."""
        return sum(one.left >= self.asked for one in self.rooms)


def capacity(case: Case) -> DiagnosisStep:
    """Judge each resource: no node has it, it is too much for every node, or others hold it."""
    outcome = case.outcome(_CHECK)
    if not case.view.candidates and not case.silence:
        return _step(StepOutcome.FAIL, "the cluster has no nodes")
    if outcome is StepOutcome.UNKNOWN:
        return _step(outcome, "what nodes have left for it is not known")
    short, full = _short(case), [name for name in case.candidates if _is_full(case, name)]
    parts = [_said(one) for one in short]
    if full:
        parts.append(f"no more pods may be on {some(full)}")
    if outcome is StepOutcome.FAIL and all(one.enough for one in short):
        parts.append("no node that is open to it has all of that at once")
    bare = () if parts or case.fits else _bare(case)
    if bare:
        outcome = StepOutcome.WARN
        parts.append(f"nodes that offer it have so much left; open to it, and offering none: {some(bare)}")
    said = "; ".join(parts) or "every node that offers what it asks for has so much left"
    return _step(outcome, said, tuple(piece for one in short for piece in _evidence(case, one)))


def asked_of(case: Case) -> dict[str, int]:
    """What the pod asks of each resource, in whole units, devices first; what cannot be read is left out."""
    names = sorted(case.pod.requests, key=lambda name: (not is_gpu_resource(name), name))
    amounts = ((name, held((case.pod,), name)) for name in names if name != "pods")
    return {name: amount for name, amount in amounts if isinstance(amount, int) and amount}


def rooms(case: Case, resource: str) -> list[Room]:
    """What the nodes that have a resource have left of it, most first."""
    found = (_room(one, resource) for one in case.view.candidates.values())
    return sorted((one for one in found if one and one.has), key=lambda one: (-one.left, one.node))


def _room(candidate: Candidate, resource: str) -> Room | None:
    """What a node has left of a resource; None where that is not known."""
    has = available(candidate, resource)
    taken = candidate.pods if isinstance(candidate.pods, Unknown) else held(candidate.pods, resource)
    if isinstance(has, Unknown) or isinstance(taken, Unknown):
        return None
    return Room(node=candidate.node.name, has=has, left=max(has - taken, 0))


def _short(case: Case) -> list[_Asked]:
    """What some candidate has too little of; where no node at all has enough of some, only that."""
    lacking = {part.resource for name in case.candidates for part in _parts(case, name)}
    short = [
        _Asked(resource=name, asked=count, rooms=tuple(rooms(case, name)))
        for name, count in asked_of(case).items()
        if name in lacking
    ]
    return [one for one in short if not one.enough] or short


def _parts(case: Case, name: str) -> Iterator[PendingPart]:
    for one in case.objections[name].refusals:
        yield from one.reasons


def _bare(case: Case) -> list[str]:
    """The nodes that would take it if they offered what it asks for, which is why a scheduler names that."""
    others = ((name, one.refusals) for name, one in case.objections.items() if name not in case.candidates)
    return [name for name, refusals in others if refusals and check_of(refusals[0]) is _CHECK]


def _is_full(case: Case, name: str) -> bool:
    return any(part.code is PendingCode.TOO_MANY_PODS for part in _parts(case, name))


def _said(one: _Asked) -> str:
    name = one.resource
    what = f"it asks for {amount(name, one.asked)} of {name}"
    if not one.rooms:
        return f"{what}, and no node offers any"
    most = max(room.has for room in one.rooms)
    if most < one.asked:
        return f"{what}, and no node has more than {amount(name, most)}, whatever runs there"
    offering = counted(len(one.rooms), "node")
    if one.enough:
        return f"{what}, and {one.enough:,} of {offering} with {name} have so much left"
    best = one.rooms[0]
    return f"{what}: of {offering} with {name} {best.node} has most left, {amount(name, best.left)}"


def _evidence(case: Case, one: _Asked) -> Iterator[Evidence]:
    name = one.resource
    yield of_pod(case, f"requests[{name}]", amount(name, one.asked))
    for room in one.rooms[:_SHOWN]:
        yield of_node(case, room.node, f"status.allocatable[{name}]", amount(name, room.has))
        yield of_pods_on(case, room.node, f"requests[{name}]", amount(name, room.has - room.left))


def _step(outcome: StepOutcome, said: str, evidence: tuple[Evidence, ...] = ()) -> DiagnosisStep:
    return DiagnosisStep(check=_CHECK, outcome=outcome, finding=said, evidence=evidence)
