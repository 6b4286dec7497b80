import pytest

from gateway.simulator.operator.simulated import SimulatedCluster
from tests.contracts.mig_manager import MigManagerContract
from tests.sources.kubernetes.simulated import simulated


class TestSimulatedMigManager(MigManagerContract):
    @pytest.fixture
    async def peer(self):
        async with simulated() as one:
            yield one

    @pytest.fixture
    def port(self, peer):
        return SimulatedCluster(peer.api.writer)

    async def test_a_node_that_vanishes_midway_is_no_error(self, machine, peer):
        await machine.ask("half")
        await machine.steps(2)
        await peer.request("DELETE", f"/api/v1/nodes/{machine.name}")
        await machine.steps()
        assert await machine.node() is None
