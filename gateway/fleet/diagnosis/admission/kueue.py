"""What Kueue says of the workload that a pod belongs to: it waits there as a whole, mostly without pods."""

from gateway.fleet.alert import Remedy, RemedyAction
from gateway.fleet.diagnosis.admission.judged import Judged, failed, passed, untold
from gateway.fleet.diagnosis.admission.quoted import home_of
from gateway.fleet.discrepancies.evidence import kubernetes
from gateway.fleet.fleet import Fleet
from gateway.fleet.kueue import WORKLOADS, KueueWorkload
from gateway.fleet.pod import Pod
from gateway.fleet.reasons.message import read_message
from gateway.fleet.reasons.reason import PendingCode

_REMEDIES = {
    PendingCode.QUEUE_FULL: (
        RemedyAction.RAISE_QUOTA,
        "raise the quota of its ClusterQueue, or end work that it counts",
    ),
    PendingCode.QUEUE_UNKNOWN: (RemedyAction.CHANGE_QUEUE, "create that queue, or name one that exists"),
    PendingCode.QUEUE_CLOSED: (RemedyAction.CHANGE_QUEUE, "let that queue run again, or name another one"),
    PendingCode.WAITING_FOR_PREEMPTION: (RemedyAction.WAIT, "wait: others are being evicted for it"),
}


def judge_workload(pod: Pod, fleet: Fleet) -> Judged | None:
    """Whether Kueue admitted its workload; None: it has none."""
    workload = _workload(pod, fleet)
    if workload is None:
        return None
    waits = workload.waits
    if waits is None:
        return passed(f"Kueue admitted its workload {workload.name}")
    at = f"{WORKLOADS}/{workload.namespace}/{workload.name} status.conditions[{waits.type}]"
    evidence = kubernetes(fleet, pod.cluster, at, waits.message or waits.status, WORKLOADS)
    if not waits.message:
        return untold(f"Kueue did not admit its workload {workload.name}, and does not say why", evidence)
    code = read_message(waits.message).code
    action, text = _REMEDIES.get(code, (RemedyAction.OTHER, "see what Kueue says of it"))
    said = f"Kueue did not admit its workload {workload.name}: {waits.message}"
    return failed(code, said, (evidence,), Remedy(action=action, text=text, subject=home_of(pod, fleet)))


def _workload(pod: Pod, fleet: Fleet) -> KueueWorkload | None:
    owners = {f"Pod/{pod.name}", pod.controller}
    found = (one for one in fleet.workloads(pod.cluster) if one.namespace == pod.namespace)
    return next((one for one in found if one.owner in owners), None)
