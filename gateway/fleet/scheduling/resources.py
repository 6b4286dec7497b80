"""What a node has left of each resource, counted as kube-scheduler does: whole units, up for each pod."""

from collections.abc import Iterable
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache

from immutables import Map

from gateway.fleet.pod import Pod
from gateway.fleet.scheduling.view import Candidate, Filter, Judgement, Refusal, refusal
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown

_PODS = "pods"
_MILLI = 1000


def resources(pod: Pod) -> Filter:
    """Refuse nodes that are full of pods, or short of a resource that is asked for."""
    asked = {name: _units_of(pod.requests, name) for name in pod.requests if name != _PODS}

    def judge(candidate: Candidate) -> Judgement:
        if isinstance(candidate.pods, Unknown):
            return candidate.pods
        found = [_full(candidate, candidate.pods)]
        found += [_short(candidate, candidate.pods, name, amount) for name, amount in sorted(asked.items())]
        unknown = next((one for one in found if isinstance(one, Unknown)), None)
        return unknown or _together([one for one in found if isinstance(one, Refusal)])

    return judge


def held(pods: Iterable[Pod], resource: str) -> int | Unknown:
    """How much of a resource these pods hold, in whole units."""
    total = 0
    for pod in pods:
        amount = _units_of(pod.requests, resource)
        if isinstance(amount, Unknown):
            return amount
        total += amount
    return total


def available(candidate: Candidate, resource: str) -> int | Unknown:
    """How much a node has of a resource for pods, in whole units; what it does not name it has not."""
    return _units_of(candidate.node.allocatable, resource)


def _full(candidate: Candidate, pods: tuple[Pod, ...]) -> Judgement:
    most = available(candidate, _PODS)
    if isinstance(most, Unknown):
        return most
    return refusal("Too many pods", resolvable=True) if len(pods) >= most else None


def _short(candidate: Candidate, pods: tuple[Pod, ...], name: str, asked: int | Unknown) -> Judgement:
    has, taken = available(candidate, name), held(pods, name)
    if isinstance(asked, Unknown) or isinstance(has, Unknown) or isinstance(taken, Unknown):
        return first_unknown(asked, has, taken)
    if asked <= max(has - taken, 0):
        return None
    return refusal(f"Insufficient {name}", resolvable=asked <= has)


def _together(refusals: list[Refusal]) -> Refusal | None:
    """All that is short, sorted by its words; one thing that no leaving helps makes the node hopeless."""
    if not refusals:
        return None
    reasons = sorted((reason for one in refusals for reason in one.reasons), key=lambda reason: reason.text)
    return Refusal(reasons=tuple(reasons), resolvable=all(one.resolvable for one in refusals))


@lru_cache(maxsize=4096)
def _units_of(amounts: Map[str, Decimal | Unknown], resource: str) -> int | Unknown:
    """How much of a resource these are; alike pods share their amounts, so there are few of them."""
    amount = amounts.get(resource, Decimal(0))
    if isinstance(amount, Unknown):
        return amount
    whole = amount * _MILLI if resource == "cpu" else amount
    return int(whole.to_integral_value(rounding=ROUND_CEILING))
