"""A simulated API server as a test of writes meets it."""

import contextlib

import aiohttp

from gateway.simulator.kinds import Resource
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.listener import Listener
from gateway.simulator.store import Store
from gateway.sources.kubernetes.access import ClusterAccess, Url
from tests.contracts.kubernetes_peer import Peer

KINDS = {
    "v1": ("Node", "Pod", "ConfigMap"),
    "apps/v1": ("DaemonSet",),
    "policy/v1": ("PodDisruptionBudget",),
    "coordination.k8s.io/v1": ("Lease",),
}
SERVED = [Resource(api_version=version, kind=kind) for version, kinds in KINDS.items() for kind in kinds]


class Simulated(Peer):
    """Such a server, and what a test does to the server itself."""

    def __init__(self, api, listener, session):
        super().__init__(ClusterAccess(name="fleet", way=Url(url=listener.url)), session)
        self.api = api
        self.listener = listener


@contextlib.asynccontextmanager
async def simulated():
    """One with nothing in it, while the block runs."""
    api = KubernetesApi(Store(serves=SERVED))
    async with Listener(api) as listener, aiohttp.ClientSession(listener.url) as session:
        yield Simulated(api, listener, session)
