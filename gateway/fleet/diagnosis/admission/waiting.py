"""A pod that waits in a queue of Volcano, and what its checks are made on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from gateway.fleet.alert import Evidence, Remedy, RemedyAction
from gateway.fleet.diagnosis.admission.members import Members
from gateway.fleet.discrepancies.evidence import queues
from gateway.fleet.fleet import Fleet
from gateway.fleet.pod import Pod
from gateway.fleet.quantity import Quantity
from gateway.fleet.queue import PodGroup, Queue
from gateway.fleet.reclaim.work import is_counted
from gateway.fleet.scheduler import Scheduler, SchedulerConfig
from gateway.fleet.unknown import Unknown

Amounts = Mapping[str, Decimal]
"""By resource."""
NONE = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One pod, its group, and its queue."""

    pod: Pod
    members: Members
    queue: Queue
    fleet: Fleet

    @property
    def group(self) -> PodGroup:
        """The group of the pod."""
        return self.members.group

    @property
    def config(self) -> SchedulerConfig | None:
        """What its scheduler is configured to do, as far as that is known."""
        scheduler = self.fleet.scheduler(self.pod.cluster)
        if isinstance(scheduler, Scheduler) and isinstance(scheduler.config, SchedulerConfig):
            return scheduler.config
        return None

    @property
    def is_let_in(self) -> bool:
        """Whether its group is past the gate of the queue."""
        return self.group.phase != "Pending"

    @property
    def asked(self) -> Amounts | Unknown:
        """What must fit into the queue: at its gate the least of the group, then the unplaced part of it."""
        if not self.is_let_in:
            return amounts_of(self.group.min_resources)
        return asked_by(self.members.starting_with(self.pod))

    def told(self, path: str, value: object, kind: str = "queues") -> Evidence:
        """What a queue or a pod group says."""
        return queues(self.fleet, self.pod.cluster, path, value, kind)

    def told_of_group(self) -> tuple[Evidence, ...]:
        """In which queue the group is, and how far it got."""
        at = f"podgroups/{self.group.namespace}/{self.group.name}"
        return (
            self.told(f"{at} spec.queue", self.group.queue_name, "podgroups"),
            self.told(f"{at} status.phase", self.group.phase, "podgroups"),
        )


def change(queue: Queue, text: str) -> Remedy:
    """Something to change about a queue."""
    return Remedy(action=RemedyAction.CHANGE_QUEUE, text=text, subject=queue.id)


def amounts_of(quantities: Iterable[Quantity] | None) -> dict[str, Decimal] | Unknown:
    """What is written of resources, without counts of objects; unknown where one cannot be read."""
    found: dict[str, Decimal] = {}
    for one in quantities or ():
        if isinstance(one.value, Unknown):
            return one.value
        if one.value is not None and is_counted(one.resource) and not one.unlimited:
            found[one.resource] = one.value
    return found


def asked_by(pods: Iterable[Pod]) -> dict[str, Decimal] | Unknown:
    """What pods ask for in sum."""
    found: dict[str, Decimal] = {}
    for pod in pods:
        for name, amount in pod.requests.items():
            if isinstance(amount, Unknown):
                return amount
            if is_counted(name):
                found[name] = found.get(name, NONE) + amount
    return found
