"""LIMIT_RANGE: what the LimitRanges of its namespace say of the GPUs that a pod asks for.

A pod is held to them when it is made and never again, so none that is there waits for them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from gateway.fleet.alert import Evidence, Remedy, RemedyAction
from gateway.fleet.diagnosis.admission.judged import Judged, passed, together, untold, warned
from gateway.fleet.diagnosis.admission.quoted import asked, told_by
from gateway.fleet.diagnosis.admission.said import refusal, words_of
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep
from gateway.fleet.discrepancies.evidence import kubernetes
from gateway.fleet.fleet import Fleet
from gateway.fleet.limit_range import LIMIT_RANGES, Limit
from gateway.fleet.pod import Pod
from gateway.fleet.quantity import Quantity
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Maybe, Unknown

_CHECK = DiagnosisCheck.LIMIT_RANGE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """What a LimitRange says of a resource that the pod asks for."""

    pod: Pod
    count: Maybe[int]
    name: str
    limit: Limit

    @property
    def thing(self) -> str:
        """What it limits."""
        return "container" if self.limit.of_container else "pod"


def check_limit_range(pod: Pod, fleet: Fleet) -> DiagnosisStep | None:
    """Judge its LimitRanges; None: none of them is about what it asks."""
    ranges = fleet.limit_ranges(pod.cluster)
    if isinstance(ranges, Unknown):
        return untold(ranges).step(_CHECK)
    cases = [
        _Case(pod=pod, count=claim.count, name=one.name, limit=limit)
        for one in (ranges or {}).values()
        for limit in one.limits
        for claim in pod.gpus
        if (one.namespace, limit.resource) == (pod.namespace, claim.resource)
    ]
    found = [*_refused(pod, fleet), *(_judged(case, tuple(_evidence(case, fleet))) for case in cases)]
    return together(_CHECK, found) if found else None


def _refused(pod: Pod, fleet: Fleet) -> Iterator[Judged]:
    event = refusal(pod, fleet, PendingCode.LIMIT_RANGE)
    if event:
        said = f"more pods of {pod.controller} are refused: {words_of(event)}"
        yield warned(said, (told_by(event, fleet),), _remedy(pod, "ask for what the LimitRange allows"))


def _judged(case: _Case, evidence: tuple[Evidence, ...]) -> Judged:
    limit, count = case.limit, case.count
    unknown = first_unknown(count, _value(limit.least), _value(limit.most))
    if unknown:
        return untold(unknown, *evidence)
    wrong = _above(case)
    if wrong and limit.of_container:
        return untold(f"{wrong}, and how its containers share {count} is not told", *evidence)
    wrong = wrong or _below(case)
    if wrong:
        words = f"ask for {limit.resource} as LimitRange {case.name} allows"
        said = f"{wrong}: this pod with {count} was made before, and would not be made anew"
        return warned(said, evidence, _remedy(case.pod, words))
    if limit.given and limit.resource in case.pod.gpus_given:
        return _given(case, limit.given, evidence)
    return passed(f"LimitRange {case.name} allows the {count} {limit.resource} that it asks for", *evidence)


def _above(case: _Case) -> str | None:
    most = case.limit.most
    if most and _is_more(case.count, most.value):
        return f"LimitRange {case.name} lets a {case.thing} have at most {most.text} {most.resource}"
    return None


def _below(case: _Case) -> str | None:
    least = case.limit.least
    if least and _is_more(least.value, case.count):
        return (
            f"LimitRange {case.name} wants a {case.thing} to ask for at least {least.text} {least.resource}"
        )
    return None


def _is_more(one: object, other: object) -> bool:
    return isinstance(one, (int, Decimal)) and isinstance(other, (int, Decimal)) and one > other


def _given(case: _Case, given: Quantity, evidence: tuple[Evidence, ...]) -> Judged:
    """A maximum is a default too (1.36): work that needs no GPU holds what it was given."""
    resource = case.limit.resource
    said = f"LimitRange {case.name} gave {given.text} {resource} to a container of it that named none"
    words = f"write limits of {resource} into the pod: what it needs, or 0"
    return warned(said, evidence, _remedy(case.pod, words))


def _evidence(case: _Case, fleet: Fleet) -> Iterator[Evidence]:
    limit, pod = case.limit, case.pod
    yield asked(pod, limit.resource, fleet)
    at = f"{LIMIT_RANGES}/{pod.namespace}/{case.name} spec.limits[{case.thing.capitalize()}]"
    for part, amount in (("min", limit.least), ("max", limit.most), ("default", limit.given)):
        if amount:
            yield kubernetes(fleet, pod.cluster, f"{at}.{part}[{limit.resource}]", amount.text, LIMIT_RANGES)


def _remedy(pod: Pod, text: str) -> Remedy:
    return Remedy(action=RemedyAction.CHANGE_REQUEST, text=text, subject=pod.id)


def _value(amount: Quantity | None) -> Maybe[Decimal]:
    return amount.value if amount else None
