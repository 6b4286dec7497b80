import json

import aiohttp
import pytest

from gateway.simulator.kinds import Resource
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.listener import Listener
from gateway.simulator.store import Store
from gateway.sources.kubernetes.access import ClusterAccess, Url
from tests.contracts.kubernetes_peer import Peer
from tests.contracts.mig_configurations import MigConfigurationsContract
from tests.contracts.node_hands import NodeHandsContract
from tests.contracts.pod_hands import PodHandsContract
from tests.servers.control_plane import Refusal

KINDS = {
    "v1": ("Node", "Pod", "ConfigMap"),
    "apps/v1": ("DaemonSet",),
    "policy/v1": ("PodDisruptionBudget",),
    "coordination.k8s.io/v1": ("Lease",),
}
SERVED = [Resource(api_version=version, kind=kind) for version, kinds in KINDS.items() for kind in kinds]


class Simulated(Peer):
    def __init__(self, url):
        super().__init__()
        self._url = url
        self.access = ClusterAccess(name="fleet", way=Url(url=url))

    async def request(self, method, path, body=None, content_type="application/json"):
        data = None if body is None else json.dumps(body)
        headers = {"Content-Type": content_type}
        async with (
            aiohttp.ClientSession(self._url) as session,
            session.request(method, path, data=data, headers=headers) as response,
        ):
            answer = await response.text()
            if not response.ok:
                raise Refusal(f"{method} {path}: {response.status} {answer}")
            return json.loads(answer)


class TestSimulatedHands(NodeHandsContract, PodHandsContract, MigConfigurationsContract):
    @pytest.fixture
    async def peer(self):
        async with Listener(KubernetesApi(Store(serves=SERVED))) as listener:
            yield Simulated(listener.url)
