"""What the checks of a pod come to: a code for bots and a sentence for people."""

from collections.abc import Iterable

from gateway.fleet.diagnosis.diagnosis import DiagnosisStep, StepOutcome
from gateway.fleet.diagnosis.pod.case import Case
from gateway.fleet.discrepancies.evidence import counted
from gateway.fleet.pod import BY_KUBELET, Pod
from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.nodes import nearest
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.histogram import histogram


def code_of(case: Case, steps: Iterable[DiagnosisStep]) -> PendingCode | None:
    """Why it waits: a check that fails before nodes are asked, else the words of nodes nearest to running.

    None where nothing keeps it, or nobody can say what.
    """
    if case.is_placed:
        return PendingCode.KUBELET_ADMISSION if _is_turned_away(case.pod) else None
    before = next((one.code for one in failing(steps) if one.code), None)
    if before or case.fits:
        return before
    if case.evicts_for_it:
        return PendingCode.WAITING_FOR_PREEMPTION
    return _said_last(case) if case.untold else _by_nodes(case)


def failing(steps: Iterable[DiagnosisStep]) -> list[DiagnosisStep]:
    """The checks that it does not pass."""
    return [step for step in steps if step.outcome is StepOutcome.FAIL]


def sentence(case: Case, steps: Iterable[DiagnosisStep]) -> str:
    """What it comes to."""
    if case.is_placed:
        return _of_placed(case)
    before = [one.finding for one in failing(steps) if one.code]
    untold = [one.check.value for one in steps if one.outcome is StepOutcome.UNKNOWN]
    parts = [*before, _by_all_nodes(case), *_whose(case)]
    if untold:
        parts.append(f"not known: {', '.join(untold)}")
    return "; ".join(parts)


def _of_placed(case: Case) -> str:
    pod = case.pod
    if pod.turned_down and _is_turned_away(pod):
        told = f"{pod.turned_down.reason}: {pod.turned_down.message}"
        return f"the kubelet of {pod.node_name} did not take it, and it never will run: {told}"
    if pod.ended:
        return f"it has ended ({pod.phase}) and waits for nothing"
    if not case.silence and all(one.node != pod.node_name for one in case.verdicts):
        return f"it is bound to {pod.node_name}, and there is no such node: it never will run"
    return f"it does not wait for a node: it is on {pod.node_name} ({pod.phase})"


def _is_turned_away(pod: Pod) -> bool:
    return pod.turned_down is not None and pod.turned_down.type == BY_KUBELET


def _by_all_nodes(case: Case) -> str:
    if case.fits:
        nodes = counted(len(case.fits), "node")
        return f"it fits on {nodes}: {case.fits[0]}" + (" and others" if len(case.fits) > 1 else "")
    if case.untold:
        return f"whether it fits is not known: {case.untold.reason}"
    if not case.verdicts:
        return "it fits nowhere: the cluster has no nodes"
    parts = histogram(part for one in case.verdicts for part in one.reasons)
    told = ", ".join(f"{part.nodes} {part.text}" for part in parts)
    count = len(case.verdicts)
    where = "it does not fit on the only node" if count == 1 else f"it fits on none of {count:,} nodes"
    return f"{where}: {told}"


def _whose(case: Case) -> Iterable[str]:
    if not case.is_kube_schedulers:
        yield (
            f"{case.pod.scheduler_name} places it, by rules of its own too: "
            "of nodes this is what kube-scheduler's filters say"
        )


def _said_last(case: Case) -> PendingCode | None:
    """What a scheduler said when it tried last."""
    told = case.pod.turned_down
    return read_message(told.message).code if told and told.message else None


def _by_nodes(case: Case) -> PendingCode:
    if not case.verdicts:
        return PendingCode.NO_NODES
    return nearest(part for one in case.verdicts for part in one.reasons)
