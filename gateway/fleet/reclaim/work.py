"""What a queue's work asks for and what it holds, pods that are alike taken together."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple, cast

from immutables import Map

from gateway.errors import System
from gateway.fleet.fleet import Fleet
from gateway.fleet.pod import Pod
from gateway.fleet.queue import PodGroup, Queue
from gateway.fleet.unknown import Unknown

Requests = Map[str, Decimal]

_SYSTEM = {"system-cluster-critical", "system-node-critical"}
_COUNTS = ("count/", "requests.", "limits.")


class Task(NamedTuple):
    """A pod as far as taking and giving goes."""

    requests: Requests
    """More than 0 of each resource; pods are not counted among them."""
    evictable: bool = True
    """Nothing marks it as one that must stay."""
    spare: bool = False
    """Its group has more members than it needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What stands in a queue."""

    waiting: frozenset[Task]
    """Admitted, not placed, and free to take from others."""
    running: frozenset[Task]
    asks: frozenset[frozenset[str]]
    """Resources that one pod asks together, whatever its state; of a group without pods, all that it asks."""

    @property
    def resources(self) -> frozenset[str]:
        """All resources that the work asks for."""
        return frozenset().union(*self.asks)


def work_of(queue: Queue, fleet: Fleet) -> Work | Unknown:
    """All work of a queue."""
    silent = fleet.silence(System.QUEUES, queue.cluster, "podgroups")
    silent = silent or fleet.silence(System.KUBERNETES, queue.cluster, "pods")
    if silent:
        return silent
    groups = [(group, fleet.pods_of_group(group)) for group in fleet.groups_of_queue(queue)]
    kinds = {pod.requests for _, pods in groups for pod in pods}
    unread = (amount for kind in kinds for amount in kind.values() if isinstance(amount, Unknown))
    podless = {_asked_in_all(group) for group, pods in groups if not pods}
    return next(unread, None) or Work(
        waiting=frozenset(task for group, pods in groups for task in _waiting(group, pods)),
        running=frozenset(task for group, pods in groups for task in _running(group, pods)),
        asks=frozenset((podless | set(map(frozenset, kinds))) - {frozenset()}),
    )


def _waiting(group: PodGroup, pods: Collection[Pod]) -> Iterator[Task]:
    if group.phase != "Pending" and _placed(pods) < group.min_member:
        yield from (_task(pod) for pod in pods if _may_take(pod))


def _running(group: PodGroup, pods: Collection[Pod]) -> Iterator[Task]:
    spare = _placed(pods) > group.min_member
    yield from (_task(pod, spare=spare) for pod in pods if pod.phase == "Running" and not pod.terminating)


def is_counted(resource: str) -> bool:
    """Whether an amount of this name is of a resource, and no quota or count of objects."""
    return resource != "pods" and not resource.startswith(_COUNTS)


def _placed(pods: Collection[Pod]) -> int:
    return sum(pod.node_name is not None for pod in pods)


def _may_take(pod: Pod) -> bool:
    """Whether it waits for a node and may have others evicted for it."""
    return pod.node_name is None and pod.preempts and not pod.gated and not pod.terminating


def _task(pod: Pod, *, spare: bool = False) -> Task:
    protected = pod.priority_class in _SYSTEM or pod.namespace == "kube-system"
    requests = cast(Requests, pod.requests)  # unknown amounts were sorted out before
    return Task(requests=requests, evictable=pod.preemptable and not protected, spare=spare)


def _asked_in_all(group: PodGroup) -> frozenset[str]:
    return frozenset(
        one.resource for one in group.min_resources if one.value != 0 and is_counted(one.resource)
    )
