"""Which taints a pod puts up with, a cordon among them."""

from collections.abc import Iterable

from gateway.fleet.constraints import Toleration
from gateway.fleet.node import Taint
from gateway.fleet.scheduling.view import Candidate, Filter, Judgement, refusal
from gateway.fleet.selector import read_integer

_KEEPS_AWAY = {"NoSchedule", "NoExecute"}
_CORDON = Taint(key="node.kubernetes.io/unschedulable", value=None, effect="NoSchedule")


def untolerated(taints: Iterable[Taint], tolerations: tuple[Toleration, ...]) -> Taint | None:
    """The first taint that keeps the pod away."""
    hard = (taint for taint in taints if taint.effect in _KEEPS_AWAY)
    return next((taint for taint in hard if not _is_tolerated(taint, tolerations)), None)


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Whether it is about this taint: key, value and effect exactly, where it names them."""
    if toleration.effect not in {"", taint.effect} or toleration.key not in {"", taint.key}:
        return False
    if toleration.operator == "Exists":
        return True
    value = taint.value or ""
    if toleration.operator == "Equal":
        return toleration.value == value
    return _compares(toleration.operator, _plain_integer(value), _plain_integer(toleration.value))


def cordon(tolerations: tuple[Toleration, ...]) -> Filter:
    """Refuse cordoned nodes, with or without the taint that goes with it."""

    def judge(candidate: Candidate) -> Judgement:
        if not candidate.node.cordoned or _is_tolerated(_CORDON, tolerations):
            return None
        return refusal("node(s) were unschedulable")

    return judge


def taints(tolerations: tuple[Toleration, ...]) -> Filter:
    """Refuse nodes with a taint that is not tolerated."""

    def judge(candidate: Candidate) -> Judgement:
        if untolerated(candidate.node.taints, tolerations) is None:
            return None
        return refusal("node(s) had untolerated taint(s)")

    return judge


def _is_tolerated(taint: Taint, tolerations: tuple[Toleration, ...]) -> bool:
    return any(tolerates(one, taint) for one in tolerations)


def _compares(operator: str, value: int | None, limit: int | None) -> bool:
    """Gt and Lt of 1.35 and later: the taint's value beside the toleration's, as integers."""
    if value is None or limit is None or operator not in {"Gt", "Lt"}:
        return False
    return value > limit if operator == "Gt" else value < limit


def _plain_integer(text: str) -> int | None:
    """An integer without leading zeros, or None."""
    number = read_integer(text)
    return number if str(number) == text else None
