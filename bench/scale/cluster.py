"""The simulated cluster of a fleet, and the changes that are made to it while it is watched."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle

from bench.scale.fleet import Fleet, machine_object
from bench.scale.pod import Pod, pod_object
from gateway.fleet.clock import utc_now
from gateway.simulator.kinds import NODES, PODS
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.listener import Listener
from gateway.simulator.store import Store

Change = Callable[[], int]
"""Changes something, and says how many watch events that makes."""
_SEED = 11
_HISTORY = 50_000
"""Watch events that the server remembers: minutes, as etcd does."""
_BEGAN = utc_now()


class Cluster:
    """One fleet's API server."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self._store = Store(serves=(NODES, PODS), history=_HISTORY)
        self._machines = list(fleet.machines())
        self._pods = list(fleet.work())
        self._chance = random.Random(_SEED)  # noqa: S311  the same changes in every run, no secret
        for machine in self._machines:
            self._store.put(machine_object(machine, _BEGAN))
        for pod in self._pods:
            self._store.put(pod_object(pod))
        self.listener = Listener(KubernetesApi(self._store))
        self.changes: dict[str, Change] = {
            "a pod's container restarts": self._restart,
            "a pod ends, or a new one starts": self._end_or_start,
            "a pod is replaced (two events)": self._replace,
            "a node's heartbeat": self._heartbeat,
            "a node is cordoned, or opened again": self._cordon_or_open,
        }

    async def stream(self, changes: list[Change], rate: int, seconds: float) -> int:
        """Make changes at an even pace; the number of watch events that they made."""
        loop = asyncio.get_running_loop()
        start, events = loop.time(), 0
        for number, change in zip(range(round(rate * seconds)), cycle(changes), strict=False):
            await asyncio.sleep(start + number / rate - loop.time())
            events += change()
        return events

    def forget(self) -> None:
        """Make everything be listed again, as a restart of the API server does."""
        self._store.expire_history()

    def turn(self) -> Pod:
        """End some pod that nothing else changes, or start it again, and say which."""
        return self._turn(self._some() & ~1)

    def _turn(self, at: int) -> Pod:
        before = self._pods[at]
        after = replace(before, phase="Succeeded" if before.phase == "Running" else "Running")
        self._put(at, after)
        return after

    def _restart(self) -> int:
        at = self._some() | 1
        self._put(at, replace(self._pods[at], restarts=self._pods[at].restarts + 1))
        return 1

    def _end_or_start(self) -> int:
        self._turn(self._some() | 1)
        return 1

    def _replace(self) -> int:
        at = self._some() | 1
        before = self._pods[at]
        self._store.delete(PODS, before.name, before.namespace)
        self._put(at, replace(before, generation=before.generation + 1, phase="Running"))
        return 2

    def _heartbeat(self) -> int:
        machine = self._chance.choice(self._machines)
        self._store.put(machine_object(machine, utc_now()))
        return 1

    def _cordon_or_open(self) -> int:
        at = self._chance.randrange(len(self._machines))
        machine = self._machines[at]
        self._machines[at] = replace(machine, cordoned_by="" if machine.cordoned_by else "kubectl-cordon")
        self._store.put(machine_object(self._machines[at], _BEGAN))
        return 1

    def _some(self) -> int:
        return self._chance.randrange(len(self._pods))

    def _put(self, at: int, pod: Pod) -> None:
        self._pods[at] = pod
        self._store.put(pod_object(pod))
