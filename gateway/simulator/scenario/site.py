"""The Kubernetes side of the demo as it stands: machines, pods, and the objects that tell of both."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from gateway.simulator.kinds import NODES, PODS, Resource
from gateway.simulator.scenario.inventory import MACHINES
from gateway.simulator.scenario.mig_layouts import mig_objects
from gateway.simulator.scenario.node_objects import node_object
from gateway.simulator.scenario.operand_objects import operand_objects
from gateway.simulator.scenario.operators import operator_pods
from gateway.simulator.scenario.pod_objects import Pod, group_name, pod_group_object, pod_object
from gateway.simulator.scenario.queue_objects import QUEUES, Queue, queue_object
from gateway.simulator.scenario.quota_objects import quota_objects
from gateway.simulator.scenario.refused import refused_objects
from gateway.simulator.scenario.volcano import scheduler_objects
from gateway.simulator.scenario.waiting import WAITING
from gateway.simulator.scenario.work import WORK, Form, Work
from gateway.simulator.store import Json, Store

_SERVED = (
    Resource(api_version="coordination.k8s.io/v1", kind="Lease"),
    Resource(api_version="policy/v1", kind="PodDisruptionBudget"),
)
"""What others write into."""
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


class Site:
    """One cluster at work; every change goes through here, so that its objects tell one story."""

    def __init__(self, clock: Callable[[], datetime], chance: random.Random) -> None:
        self.store = Store(serves=_SERVED)
        self.pods: dict[str, Pod] = {}
        """Pods of the work, by namespace and name."""
        self._clock = clock
        self._began = clock()
        self._chance = chance
        self._free = {machine.name: Counter(machine.allocatable) for machine in MACHINES}
        self._fill()

    def start(self, work: Work, created: datetime) -> bool:
        """Place one more pod of this work; False where no machine of its own has room."""
        node = self._room_for(work)
        if node is None:
            return False
        self._free[node][work.resource] -= work.devices
        self._put(Pod(work=work, name=self._pod_name(work), node=node, created=created))
        return True

    def stop(self, key: str) -> None:
        """Take a pod away."""
        pod = self.pods.pop(key)
        if pod.node:
            self._free[pod.node][pod.work.resource] += pod.work.devices
        if self.stored(PODS, key) is not None:  # somebody else may have deleted it
            self.store.delete(PODS, pod.name, pod.work.namespace)

    def replace_evicted(self) -> None:
        """Make anew what is gone without our doing and has an owner; it waits until a machine has room."""
        self._count_free()
        for key, pod in [*self.pods.items()]:
            if pod.node and self.stored(PODS, key) is None:
                del self.pods[key]
                if pod.work.form is not Form.BARE:
                    self._wait_again(pod)
        for pod in [*self.pods.values()]:
            node = self._room_for(pod.work) if pod.again and pod.node is None else None
            if node is not None:
                self._free[node][pod.work.resource] -= pod.work.devices
                self._put(replace(pod, node=node, waits_for=""))
                self.count(pod.work)

    def stored(self, resource: Resource, key: str) -> Json:
        """The object of that namespace and name, as the API shows it; None where there is none."""
        found = self.store.serve(resource).named(key)
        return found.body if found else None

    def count(self, work: Work) -> None:
        """Have the scheduler write its sums again, for the queues and the group of this work."""
        parent = next(queue.parent for queue in QUEUES if queue.name == work.queue)
        for queue in QUEUES:
            if queue.name in {work.queue, parent, "root"}:
                self._put_queue(queue)
        self._put_group(work)

    def _fill(self) -> None:
        now = self._began
        told = (*scheduler_objects(), *quota_objects(), *mig_objects(), *operand_objects())
        for body in (*told, *refused_objects(now)):
            self.store.put(body)
        for number, machine in enumerate(MACHINES, 1):
            self.store.put(node_object(machine, number, now))
            for body in operator_pods(machine, now):
                self.store.put(body)
        for work in (*WORK, *WAITING):
            self._place(work, now)
        for queue in QUEUES:
            self._put_queue(queue)
        for work in WORK:
            self._put_group(work)

    def _place(self, work: Work, now: datetime) -> None:
        """All pods of the work; a gang whole, or not at all."""
        room = sum(self._free[name][work.resource] // work.devices for name in work.on)
        if work.says or (work.form is Form.GANG and room < work.pods):
            self._wait(work, now)
            return
        for _ in range(work.pods):
            self.start(work, now - timedelta(minutes=self._chance.randint(3, 4000)))

    def _room_for(self, work: Work) -> str | None:
        """The first of the work's machines that has room and takes new work."""
        return next((name for name in work.on if self._has_room(name, work)), None)

    def _has_room(self, name: str, work: Work) -> bool:
        node = self.stored(NODES, f"/{name}")
        is_open = node is not None and not node["spec"].get("unschedulable")
        return is_open and self._free[name][work.resource] >= work.devices

    def _count_free(self) -> None:
        """Count anew what machines have left: their cards may be cut in another way by now."""
        for name in self._free:
            node = self.stored(NODES, f"/{name}")
            offered = node["status"]["allocatable"] if node else {}
            amounts = {it: int(count) for it, count in offered.items() if it.startswith("nvidia.com/")}
            self._free[name] = Counter(amounts)
        for pod in self.pods.values():
            if pod.node:
                self._free[pod.node][pod.work.resource] -= pod.work.devices

    def _wait_again(self, gone: Pod) -> None:
        again = replace(
            gone, node=None, again=gone.again + 1, created=self._clock(), waits_for=_waits(gone.work)
        )
        self._put(again)
        self.count(gone.work)

    def _wait(self, work: Work, now: datetime) -> None:
        said = work.says or _waits(work)
        for number in range(work.pods):
            name = work.name if work.form is Form.BARE else f"{work.name}-{number}"
            created = now - timedelta(minutes=19)
            self._put(Pod(work=work, name=name, node=None, created=created, waits_for=said))

    def _put(self, pod: Pod) -> None:
        self.pods[f"{pod.work.namespace}/{pod.name}"] = pod
        self.store.put(pod_object(pod))

    def _put_queue(self, queue: Queue) -> None:
        below = {queue.name} | {child.name for child in QUEUES if child.parent == queue.name}
        counted = [pod for pod in self.pods.values() if pod.node and group_name(pod.work)]
        held = [pod for pod in counted if queue.name == "root" or pod.work.queue in below]
        self.store.put(queue_object(queue, held, self._began))

    def _put_group(self, work: Work) -> None:
        if group_name(work) is None:
            return
        pods = [pod for pod in self.pods.values() if pod.work is work]
        placed = sum(pod.node is not None for pod in pods)
        waits = ""
        if pods and not placed:
            asked = f"{work.pods} Pending, {work.pods} minAvailable; Pending: {work.pods} Unschedulable"
            waits = (
                f"{work.pods}/{work.pods} tasks in gang unschedulable: pod group is not ready, {asked}. "
                f"Origin reason is {pods[0].name}: {pods[0].waits_for}"
            )
        self.store.put(pod_group_object(work, placed, self._began, waits))

    def _pod_name(self, work: Work) -> str:
        if work.form is Form.BARE:
            return work.name
        if work.form is Form.GANG:
            return f"{work.name}-{sum(pod.work is work for pod in self.pods.values())}"
        suffix = "".join(self._chance.choices(_LETTERS, k=5))
        return f"{work.name}-7d9c8b6f54-{suffix}"


def _waits(work: Work) -> str:
    total = len(MACHINES)
    return f"0/{total} nodes are unavailable: {total} Insufficient {work.resource}."
