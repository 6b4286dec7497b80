"""A cluster as a source: each of its listings by itself."""

import asyncio
from typing import Any

from gateway.errors import System
from gateway.fleet.ports import Source
from gateway.sources.kubernetes.events import events
from gateway.sources.kubernetes.limitranges import limit_ranges
from gateway.sources.kubernetes.migconfigs import MigConfigPoll
from gateway.sources.kubernetes.namespaces import namespaces
from gateway.sources.kubernetes.nodes import nodes
from gateway.sources.kubernetes.operands import OperandPoll
from gateway.sources.kubernetes.pods import pods
from gateway.sources.kubernetes.quotas import quotas
from gateway.sources.kubernetes.resourceclaims import resource_claims
from gateway.sources.kubernetes.resourceslices import resource_slices
from gateway.sources.kubernetes.runtimeclasses import runtime_classes
from gateway.sources.kubernetes.upkeep import Upkeep
from gateway.sources.kubernetes.version import VersionPoll
from gateway.sources.kubernetes.watch import Watch
from gateway.sources.kubernetes.workloads import workloads


class KubernetesSource:
    """Keeps all fresh that the graph is made of, but for the queues."""

    def __init__(self, upkeep: Upkeep) -> None:
        cluster = upkeep.api.cluster
        kinds = (
            nodes,
            pods,
            resource_slices,
            resource_claims,
            quotas,
            limit_ranges,
            events,
            workloads,
            namespaces,
            runtime_classes,
        )
        watches: list[Watch[Any]] = [upkeep.watch(System.KUBERNETES, kind(cluster)) for kind in kinds]
        polls = (OperandPoll(upkeep), MigConfigPoll(upkeep), VersionPoll(upkeep))
        self._listings: tuple[Source, ...] = (*watches, *polls)

    async def run(self) -> None:
        """Go on until cancelled; what is silent is told, and stops nothing else."""
        async with asyncio.TaskGroup() as group:
            for listing in self._listings:
                group.create_task(listing.run())
