import asyncio

import aiohttp
import pytest

from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.run import simulate
from gateway.simulator.slurmrestd import Recorded, Slurmrestd
from gateway.simulator.store import Store
from gateway.simulator.world import SimulatedSlurm, World
from tests.simulator.client import asking, node


def world(**rest):
    return World(
        clusters={"east": KubernetesApi(Store([node("e")])), "west": KubernetesApi(Store([node("w")]))},
        slurms={"hpc": SimulatedSlurm(api=Slurmrestd(Recorded({})), cluster="west")},
        **rest,
    )


async def test_each_cluster_and_slurm_answers_at_an_address_of_its_own():
    async with simulate(world()) as simulated:
        for name, expected in (("east", ["e"]), ("west", ["w"])):
            async with asking(simulated.clusters[name]) as client:
                assert await client.names("/api/v1/nodes") == expected
        url, cluster = simulated.slurms["hpc"]
        async with asking(url) as client:
            assert (cluster, await client.status("/slurm/v0.0.42/ping")) == ("west", 404)


async def test_nothing_answers_any_more_at_the_end():
    async with simulate(world()) as simulated:
        pass
    async with asking(simulated.clusters["east"]) as client:
        with pytest.raises(aiohttp.ClientConnectorError):
            await client.status("/version")


async def test_life_goes_on_for_as_long_as_the_world_is_served():
    begun, ended = asyncio.Event(), asyncio.Event()

    async def life():
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with simulate(world(life=life)):
        await begun.wait()
        assert not ended.is_set()
    assert ended.is_set()


async def test_a_life_that_fails_is_not_silent():
    async def life():
        raise ValueError("a step too far")

    with pytest.raises(ValueError, match="a step too far"):
        async with asyncio.timeout(10), simulate(world(life=life)):
            await asyncio.Event().wait()
