"""A cluster as a source: nodes, pods, devices, quotas, events, MIG layouts, version, each by itself."""

import asyncio

from gateway.errors import System
from gateway.sources.kubernetes.events import events
from gateway.sources.kubernetes.migconfigs import MigConfigPoll
from gateway.sources.kubernetes.nodes import nodes
from gateway.sources.kubernetes.pods import pods
from gateway.sources.kubernetes.quotas import quotas
from gateway.sources.kubernetes.resourceclaims import resource_claims
from gateway.sources.kubernetes.resourceslices import resource_slices
from gateway.sources.kubernetes.upkeep import Upkeep
from gateway.sources.kubernetes.version import VersionPoll
from gateway.sources.kubernetes.workloads import workloads


class KubernetesSource:
    """Keeps a cluster's nodes, pods, devices, quotas, events, MIG layouts and version fresh."""

    def __init__(self, upkeep: Upkeep) -> None:
        cluster = upkeep.api.cluster
        self._nodes = upkeep.watch(System.KUBERNETES, nodes(cluster))
        self._pods = upkeep.watch(System.KUBERNETES, pods(cluster))
        self._slices = upkeep.watch(System.KUBERNETES, resource_slices(cluster))
        self._claims = upkeep.watch(System.KUBERNETES, resource_claims(cluster))
        self._quotas = upkeep.watch(System.KUBERNETES, quotas(cluster))
        self._events = upkeep.watch(System.KUBERNETES, events(cluster))
        self._workloads = upkeep.watch(System.KUBERNETES, workloads(cluster))
        self._layouts = MigConfigPoll(upkeep)
        self._version = VersionPoll(upkeep)

    async def run(self) -> None:
        """Go on until cancelled; what is silent is told, and stops nothing else."""
        async with asyncio.TaskGroup() as group:
            for listing in (
                self._nodes,
                self._pods,
                self._slices,
                self._claims,
                self._quotas,
                self._events,
                self._workloads,
                self._layouts,
                self._version,
            ):
                group.create_task(listing.run())
