"""A cluster's Volcano as a source of its own: queues and pod groups, by the connection of the cluster."""

import asyncio

from gateway.errors import System
from gateway.sources.kubernetes.source import Upkeep
from gateway.sources.volcano.podgroups import pod_groups
from gateway.sources.volcano.queues import queues


class VolcanoSource:
    """Keeps a cluster's queues and pod groups fresh, where it has any."""

    def __init__(self, upkeep: Upkeep) -> None:
        self._upkeep = upkeep

    async def run(self) -> None:
        """Go on until cancelled; what is silent is told, and stops nothing else."""
        cluster = self._upkeep.api.cluster
        async with asyncio.TaskGroup() as group:
            group.create_task(self._upkeep.watch(System.QUEUES, queues(cluster)).run())
            group.create_task(self._upkeep.watch(System.QUEUES, pod_groups(cluster)).run())
