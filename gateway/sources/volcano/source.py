"""A cluster's Volcano as a source: queues, pod groups and scheduler, by the connection of the cluster."""

import asyncio

from gateway.errors import System
from gateway.sources.kubernetes.upkeep import Upkeep
from gateway.sources.volcano.podgroups import pod_groups
from gateway.sources.volcano.queues import queues
from gateway.sources.volcano.scheduler import SchedulerPoll


class VolcanoSource:
    """Keeps a cluster's queues, pod groups and scheduler fresh, where it has any."""

    def __init__(self, upkeep: Upkeep) -> None:
        cluster = upkeep.api.cluster
        self._queues = upkeep.watch(System.QUEUES, queues(cluster))
        self._pod_groups = upkeep.watch(System.QUEUES, pod_groups(cluster))
        self._scheduler = SchedulerPoll(upkeep)

    async def run(self) -> None:
        """Go on until cancelled; what is silent is told, and stops nothing else."""
        async with asyncio.TaskGroup() as group:
            for listing in (self._queues, self._pod_groups, self._scheduler):
                group.create_task(listing.run())
