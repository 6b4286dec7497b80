import pytest

from tests.contracts.kubernetes_peer import PeerPort
from tests.contracts.lease_election import LeaseElectionContract
from tests.contracts.mig_configurations import MigConfigurationsContract
from tests.contracts.mig_manager import MigManagerContract
from tests.contracts.node_hands import NodeHandsContract
from tests.contracts.pod_hands import PodHandsContract
from tests.live.peers import real_peer


@pytest.fixture
async def peer(control_plane):
    async with real_peer(control_plane) as one:
        yield one


class TestRealHands(NodeHandsContract, PodHandsContract, MigConfigurationsContract):
    pass


class TestRealElection(LeaseElectionContract):
    pass


class TestMigManagerOnARealServer(MigManagerContract):
    @pytest.fixture
    def port(self, peer):
        return PeerPort(peer)
