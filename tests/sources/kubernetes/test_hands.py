import pytest

from tests.contracts.mig_configurations import MigConfigurationsContract
from tests.contracts.node_hands import NodeHandsContract
from tests.contracts.pod_hands import PodHandsContract
from tests.sources.kubernetes.simulated import simulated


@pytest.fixture
async def peer():
    async with simulated() as one:
        yield one


class TestSimulatedHands(NodeHandsContract, PodHandsContract, MigConfigurationsContract):
    pass
