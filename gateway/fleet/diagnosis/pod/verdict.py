"""What the checks of a pod come to: a code for bots and a sentence for people."""

from gateway.fleet.diagnosis.pod.case import Case
from gateway.fleet.discrepancies.evidence import counted
from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.nodes import nearest
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.histogram import histogram
from gateway.fleet.unknown import Unknown

_KUBE_SCHEDULER = "default-scheduler"


def code_of(case: Case) -> PendingCode | None:
    """Why it waits; None where nothing keeps it, or nobody can say what."""
    if is_placed(case):
        return None
    if case.pod.gated:
        return PendingCode.SCHEDULING_GATED
    if case.fits:
        return None
    return _said_last(case) if case.untold else _by_nodes(case)


def is_placed(case: Case) -> bool:
    """Whether it does not wait for a node: it has one, or it has ended."""
    return case.pod.node_name is not None or case.pod.ended


def sentence(case: Case) -> str:
    """What it comes to."""
    pod = case.pod
    if pod.ended:
        return f"it has ended ({pod.phase}) and waits for nothing"
    if pod.node_name is not None:
        return f"it does not wait: it is on {pod.node_name} ({pod.phase})"
    return f"{_whether_it_fits(case)}{_whose(case)}"


def _whether_it_fits(case: Case) -> str:
    gated = "it waits for its scheduling gate, and " if case.pod.gated else ""
    if case.fits:
        nodes = counted(len(case.fits), "node")
        return f"{gated}no node keeps it waiting: it fits on {nodes}, {case.fits[0]} among them"
    if isinstance(case.untold, Unknown):
        return f"{gated}whether it fits is not known: {case.untold.reason}"
    if not case.verdicts:
        return f"{gated}it fits nowhere: the cluster has no nodes"
    parts = histogram(part for one in case.verdicts for part in one.reasons)
    told = ", ".join(f"{part.nodes} {part.text}" for part in parts)
    return f"{gated}it fits on none of {counted(len(case.verdicts), 'node')}: {told}"


def _whose(case: Case) -> str:
    scheduler = case.pod.scheduler_name or _KUBE_SCHEDULER
    if scheduler == _KUBE_SCHEDULER:
        return ""
    return f"; {scheduler} places it, by rules of its own too: this is what kube-scheduler's filters say of nodes"


def _said_last(case: Case) -> PendingCode | None:
    """What a scheduler said when it tried last."""
    told = case.pod.turned_down
    return read_message(told.message).code if told and told.message else None


def _by_nodes(case: Case) -> PendingCode:
    if not case.verdicts:
        return PendingCode.NO_NODES
    return nearest(part for one in case.verdicts for part in one.reasons)
