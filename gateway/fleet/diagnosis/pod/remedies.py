"""What to do about it: of each check, and of all of them together the least after which the pod runs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gateway.fleet.alert import Remedy, RemedyAction
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.case import KUBE_SCHEDULER, Case
from gateway.fleet.diagnosis.pod.plan import Plan
from gateway.fleet.diagnosis.pod.plans import least, said
from gateway.fleet.diagnosis.pod.verdict import failing
from gateway.fleet.reasons.reason import PendingCode

_MOST_OF_A_CHECK = 3
_WRITTEN_BY_ITSELF = {StepOutcome.PASS, StepOutcome.UNKNOWN}


def with_remedies(step: DiagnosisStep, plans: Iterable[Plan]) -> DiagnosisStep:
    """The check with those changes that are for it, where it does not bring its own."""
    if step.remedies or step.outcome in _WRITTEN_BY_ITSELF:
        return step
    return replace(step, remedies=tuple(_of_check(step.check, plans))[:_MOST_OF_A_CHECK])


def remedies_of(case: Case, steps: Iterable[DiagnosisStep], plans: Iterable[Plan]) -> tuple[Remedy, ...]:
    """The least change after which it runs; where more than one is needed, all of them, and each says so."""
    if case.is_placed:
        return ()
    before = tuple(_before_nodes(case, [step for step in failing(steps) if step.code]))
    if case.fits:
        return before or (_wait(case),)
    if case.evicts_for_it:
        return (*before, _eviction(case))
    if case.untold:
        return before
    return (*before, *least(plans)) or tuple(_hopes(steps)) or (_nothing_known(case),)


def _before_nodes(case: Case, blocking: Sequence[DiagnosisStep]) -> Iterator[Remedy]:
    """What the checks before the nodes advise, and whether it is enough."""
    for step in blocking:
        others = [f"{one.check.value} fails too" for one in blocking if one is not step]
        if not (case.fits or case.untold or step.code is PendingCode.INSUFFICIENT_RESOURCE):
            others.append("no node takes it now")
        more = f"; not enough by itself, for {' and '.join(others)}" if others else _open_end(case, step)
        yield from (replace(one, text=f"{one.text}{more}") for one in step.remedies)


def _open_end(case: Case, step: DiagnosisStep) -> str:
    """What nodes say after it; a request that was put right was judged again with them."""
    if case.fits or step.check is DiagnosisCheck.REQUEST_SHAPE:
        return ""
    return "; whether a node then takes it is not known"


def _hopes(steps: Iterable[DiagnosisStep]) -> Iterator[Remedy]:
    """What checks of nodes advise by themselves, of which nobody can say what comes after it."""
    for step in failing(steps):
        yield from (
            replace(one, text=f"{one.text}; whether it then fits is not known") for one in step.remedies
        )


def _of_check(check: DiagnosisCheck, plans: Iterable[Plan]) -> Iterator[Remedy]:
    shown: set[tuple[RemedyAction, str]] = set()
    for way in plans:
        for step, remedy in zip(way.steps, said(way), strict=True):
            at = (step.cure.action, step.cure.text)
            if step.cure.check is check and at not in shown:
                shown.add(at)
                yield remedy


def _wait(case: Case) -> Remedy:
    scheduler = case.pod.scheduler_name or KUBE_SCHEDULER
    text = f"wait for the next attempt of {scheduler}; if none comes, see whether it runs"
    return Remedy(action=RemedyAction.WAIT, text=text, subject=case.pod.id)


def _eviction(case: Case) -> Remedy:
    node = case.nodes[case.eviction.node or ""]
    text = f"wait: kube-scheduler evicts pods of lower priority from {node.name}; then it fits there"
    return Remedy(action=RemedyAction.WAIT, text=text, subject=node.id)


def _nothing_known(case: Case) -> Remedy:
    text = "no change of one node is known after which it fits: it takes other nodes, or another request"
    return Remedy(action=RemedyAction.OTHER, text=text, subject=case.pod.id)
