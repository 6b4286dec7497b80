import contextlib
import ssl

import aiohttp
import pytest

from gateway.sources.kubernetes.access import ClusterAccess, Kubeconfig
from tests.contracts.kubernetes_peer import NAMESPACE, Peer, PeerPort
from tests.contracts.lease_election import LeaseElectionContract
from tests.contracts.mig_configurations import MigConfigurationsContract
from tests.contracts.mig_manager import MigManagerContract
from tests.contracts.node_hands import NodeHandsContract
from tests.contracts.pod_hands import PodHandsContract
from tests.servers.control_plane import Refusal


@pytest.fixture
async def peer(control_plane):
    with contextlib.suppress(Refusal):
        await control_plane.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    access = ClusterAccess(name="fleet", way=Kubeconfig(path=control_plane.kubeconfig))
    connector = aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=control_plane.ca))
    headers = {"Authorization": f"Bearer {control_plane.token}"}
    async with aiohttp.ClientSession(control_plane.url, connector=connector, headers=headers) as session:
        yield Peer(access, session)


class TestRealHands(NodeHandsContract, PodHandsContract, MigConfigurationsContract):
    pass


class TestRealElection(LeaseElectionContract):
    pass


class TestMigManagerOnARealServer(MigManagerContract):
    @pytest.fixture
    def port(self, peer):
        return PeerPort(peer)
