"""Queues at odds over the resources of one cluster, for tests of who takes what from whom."""

from collections import Counter, defaultdict
from dataclasses import replace

from immutables import Map

from gateway.errors import System
from gateway.fleet.quantity import quantity, read_quantity, write_decimal
from gateway.fleet.queue import Queue
from gateway.fleet.scheduler import Scheduler, SchedulerConfig, SharePlugin, release_of
from gateway.fleet.source import SourceKey
from gateway.fleet.unknown import Unknown
from tests.builders import CLUSTER, a_pod, a_pod_group
from tests.fleets import FRESH, a_keeper

SCHEDULER = SourceKey(System.QUEUES, CLUSTER, "scheduler")
GPU, SLICE, DISK = "nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "ephemeral-storage"


def a_config(**more):
    """A configuration; without more, capacity and reclaim in the order of tiers that Volcano ships."""
    told = {
        "actions": ("enqueue", "allocate", "backfill", "reclaim"),
        "share_plugin": SharePlugin.CAPACITY,
        "hierarchy": False,
        "gang_decides": True,
    }
    return SchedulerConfig(**{**told, **more})


def a_scheduler(release="v1.14.2", config=None):
    """The scheduler of a release."""
    runs = release if isinstance(release, Unknown) else release_of(f"volcanosh/vc-scheduler:{release}")
    return Scheduler(cluster=CLUSTER, release=runs, config=config or a_config())


class Scene:
    """Queues and the work that stands in them; each call adds something."""

    def __init__(self):
        self._queues = []
        self._groups = []
        self.pods = []
        self._held = defaultdict(Counter)

    def queue(self, name, deserved=None, *, guarantee=None, capability=None, **more):
        """Add a queue that deserves this."""
        told = {"state": "Open", "parent_name": "root", "allocated": None, "reclaimable": True, **more}
        amounts = {"deserved": deserved, "guarantee": guarantee, "capability": capability}
        written = {key: None if one is None else quantities(one) for key, one in amounts.items()}
        self._queues.append(Queue(cluster=CLUSTER, name=name, **written, **told))
        return self

    def runs(self, queue, pods, asks, *, need=None, **more):
        """Add running pods: each alone in its group, or all in one that needs so many of them."""
        for at in range(pods):
            if need is None or at == 0:
                self._group(queue, "Running", need or 1)
            self._pod(asks, **more)
            self._held[queue].update({name: read_quantity(str(amount)) for name, amount in asks.items()})
        return self

    def waits(self, queue, asks, *, phase="Inqueue", **more):
        """Add a pod that waits, alone in its group."""
        self._group(queue, phase, 1)
        self._pod(asks, node=None, phase="Pending", **more)
        return self

    def promises(self, queue, least):
        """Add a group that asks for so much and whose pods are not there yet."""
        self._group(queue, "Pending", 1)
        self._groups[-1] = replace(self._groups[-1], min_resources=quantities(least))
        return self

    def fleet(self, scheduler=None):
        """All of it as a request sees it."""
        return self.keeper(scheduler).pin()

    def keeper(self, scheduler=None):
        """A keeper that heard of all of it a moment ago."""
        queues = [replace(one, allocated=one.allocated or self._allocated(one.name)) for one in self._queues]
        keeper = a_keeper(pods=self.pods, queues=queues, pod_groups=self._groups)
        keeper.replace(SCHEDULER, {"scheduler": scheduler} if scheduler else {}, FRESH)
        return keeper

    def _group(self, queue, phase, need):
        group = a_pod_group(f"{queue}-{len(self._groups)}", queue, phase)
        self._groups.append(replace(group, min_member=need))

    def _pod(self, asks, *, node="gpu-01", phase="Running", **more):
        pod = a_pod(f"pod-{len(self.pods)}", node, group=self._groups[-1].name, phase=phase)
        requests = Map({name: read_quantity(str(amount)) for name, amount in asks.items()})
        self.pods.append(replace(pod, requests=requests, **more))

    def _allocated(self, queue):
        held = {"cpu": 0, "memory": 0, **self._held[queue]}
        return quantities({name: write_decimal(read_quantity(str(amount))) for name, amount in held.items()})


def quantities(amounts):
    """Amounts of a queue by resource, as they are read."""
    return tuple(quantity(name, str(text), System.QUEUES) for name, text in sorted(amounts.items()))
