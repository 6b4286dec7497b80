import pytest

from gateway.simulator.operator.simulated import SimulatedCluster
from tests.contracts.reconciler import ReconcilerContract
from tests.sources.kubernetes.simulated import simulated


class TestReconcilerOnASimulatedServer(ReconcilerContract):
    @pytest.fixture
    async def peer(self):
        async with simulated() as one:
            yield one

    @pytest.fixture
    def port(self, peer):
        return SimulatedCluster(peer.api.writer)
