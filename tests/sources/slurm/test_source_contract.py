"""The Slurm source on the simulator, in the oldest and the newest way of writing."""

from collections.abc import AsyncIterator

import pytest

from gateway.simulator.listener import Listener
from tests.contracts.slurm_source import SlurmSourceContract
from tests.sources.slurm.simulated_world import SimulatedWorld


@pytest.fixture(params=[38, 42])
async def world(request: pytest.FixtureRequest) -> AsyncIterator[SimulatedWorld]:
    simulated = SimulatedWorld(request.param)
    async with Listener(simulated.slurmrestd) as listener:
        simulated.url = listener.url
        yield simulated


class TestSimulatedSlurm(SlurmSourceContract):
    """The contract over real HTTP, without a Slurm."""
