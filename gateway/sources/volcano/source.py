"""A cluster's Volcano as a source of its own: queues and pod groups, by the connection of the cluster."""

import asyncio

from gateway.errors import System
from gateway.sources.kubernetes.upkeep import Upkeep
from gateway.sources.volcano.podgroups import pod_groups
from gateway.sources.volcano.queues import queues


class VolcanoSource:
    """Keeps a cluster's queues and pod groups fresh, where it has any."""

    def __init__(self, upkeep: Upkeep) -> None:
        cluster = upkeep.api.cluster
        self._queues = upkeep.watch(System.QUEUES, queues(cluster))
        self._pod_groups = upkeep.watch(System.QUEUES, pod_groups(cluster))

    async def run(self) -> None:
        """Go on until cancelled; what is silent is told, and stops nothing else."""
        async with asyncio.TaskGroup() as group:
            for listing in (self._queues, self._pod_groups):
                group.create_task(listing.run())
