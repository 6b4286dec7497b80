import contextlib

import pytest

from gateway.sources.kubernetes.access import ClusterAccess, Kubeconfig
from tests.contracts.kubernetes_peer import NAMESPACE, Peer
from tests.contracts.lease_election import LeaseElectionContract
from tests.contracts.mig_configurations import MigConfigurationsContract
from tests.contracts.node_hands import NodeHandsContract
from tests.contracts.pod_hands import PodHandsContract
from tests.servers.control_plane import Refusal


class Real(Peer):
    def __init__(self, control_plane):
        super().__init__()
        self._control_plane = control_plane
        self.access = ClusterAccess(name="fleet", way=Kubeconfig(path=control_plane.kubeconfig))

    async def request(self, method, path, body=None, content_type="application/json"):
        return await self._control_plane.request(method, path, body, content_type)


@pytest.fixture
async def peer(control_plane):
    with contextlib.suppress(Refusal):
        await control_plane.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    return Real(control_plane)


class TestRealHands(NodeHandsContract, PodHandsContract, MigConfigurationsContract):
    pass


class TestRealElection(LeaseElectionContract):
    pass
