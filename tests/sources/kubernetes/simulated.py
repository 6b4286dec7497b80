"""A simulated API server as a test of writes meets it."""

import contextlib
import json

import aiohttp

from gateway.simulator.kinds import Resource
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.listener import Listener
from gateway.simulator.store import Store
from gateway.sources.kubernetes.access import ClusterAccess, Url
from tests.contracts.kubernetes_peer import Peer
from tests.servers.control_plane import Refusal

KINDS = {
    "v1": ("Node", "Pod", "ConfigMap"),
    "apps/v1": ("DaemonSet",),
    "policy/v1": ("PodDisruptionBudget",),
    "coordination.k8s.io/v1": ("Lease",),
}
SERVED = [Resource(api_version=version, kind=kind) for version, kinds in KINDS.items() for kind in kinds]


class Simulated(Peer):
    def __init__(self, api, listener):
        super().__init__()
        self.api = api
        self.listener = listener
        self.access = ClusterAccess(name="fleet", way=Url(url=listener.url))

    async def request(self, method, path, body=None, content_type="application/json"):
        data = None if body is None else json.dumps(body)
        headers = {"Content-Type": content_type}
        async with (
            aiohttp.ClientSession(self.listener.url) as session,
            session.request(method, path, data=data, headers=headers) as response,
        ):
            answer = await response.text()
            if not response.ok:
                raise Refusal(f"{method} {path}: {response.status} {answer}")
            return json.loads(answer)


@contextlib.asynccontextmanager
async def simulated():
    """One with nothing in it, while the block runs."""
    api = KubernetesApi(Store(serves=SERVED))
    async with Listener(api) as listener:
        yield Simulated(api, listener)
