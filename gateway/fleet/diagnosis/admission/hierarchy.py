"""A fault in the tree of queues, which with enableHierarchy stops every queue (Volcano to 1.16)."""

from collections.abc import Mapping
from dataclasses import dataclass

from immutables import Map

from gateway.fleet.alert import Evidence
from gateway.fleet.diagnosis.admission.judged import Judged, failed, untold
from gateway.fleet.diagnosis.admission.waiting import Waiting, change
from gateway.fleet.discrepancies.evidence import queues
from gateway.fleet.fleet import Fleet
from gateway.fleet.listings import NodeKey
from gateway.fleet.queue import Queue
from gateway.fleet.reasons.reason import PendingCode

_ROOT = "root"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is wrong, and with which queue."""

    queue: Queue
    said: str
    remedy: str
    evidence: tuple[Evidence, ...]


def stopped_by_a_fault(waiting: Waiting) -> Judged | None:
    """Whether nothing is placed in the whole cluster, whatever queue it is in."""
    config = waiting.config
    fault = fault_of(waiting.pod.cluster, waiting.fleet) if config and config.hierarchy else None
    if fault is None:
        return None
    said = f"no queue of the cluster lets anything in: {fault.said}"
    return failed(PendingCode.MISCONFIGURED, said, fault.evidence, change(fault.queue, fault.remedy))


def maybe_stopped_by_a_fault(waiting: Waiting) -> Judged | None:
    """The same, where it is not known whether queues have parents to the scheduler."""
    fault = fault_of(waiting.pod.cluster, waiting.fleet) if waiting.config is None else None
    if fault is None:
        return None
    said = f"{fault.said}: that stops every queue if enableHierarchy is on, which is not known"
    return untold(said, *fault.evidence)


def fault_of(cluster: str, fleet: Fleet) -> Fault | None:
    """The first by name; parents that are not there before groups where none may be."""
    found = fleet.queues(cluster)
    listed: Mapping[NodeKey, Queue] = found if isinstance(found, Map) else {}
    by_name = {queue.name: queue for queue in listed.values()}
    faults = [_orphan(queue, by_name, fleet) for _, queue in sorted(by_name.items())]
    faults += [_crowded(queue, fleet) for _, queue in sorted(by_name.items())]
    return next(filter(None, faults), None)


def _orphan(queue: Queue, by_name: Mapping[str, Queue], fleet: Fleet) -> Fault | None:
    parent = queue.parent_name
    if parent is None or parent == _ROOT or parent in by_name:
        return None
    return Fault(
        queue=queue,
        said=f"queue {queue.name} names a parent that does not exist: {parent}",
        remedy=f"delete queue {queue.name}, or give it a parent that exists, or create {parent}",
        evidence=(queues(fleet, queue.cluster, f"queues/{queue.name} spec.parent", parent),),
    )


def _crowded(queue: Queue, fleet: Fleet) -> Fault | None:
    """A queue that has children and pod groups as well."""
    children = sorted(fleet.listings.queues.group("parent", (queue.cluster, queue.name)))
    groups = fleet.groups_of_queue(queue) if children else ()
    if not groups:
        return None
    first = min(groups, key=lambda group: (group.namespace, group.name))
    at = f"podgroups/{first.namespace}/{first.name} spec.queue"
    return Fault(
        queue=queue,
        said=(
            f"PodGroup {first.namespace}/{first.name} is in queue {queue.name}, which has children "
            f"({', '.join(name for _, name in children)})"
        ),
        remedy=f"move what is in queue {queue.name} into one of its children, or delete it there",
        evidence=(queues(fleet, queue.cluster, at, queue.name, "podgroups"),),
    )
