import aiohttp
import pytest

from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.listener import Listener
from gateway.simulator.store import Store
from tests.simulator.client import asking, node


async def test_a_stopped_listener_refuses_and_comes_back_on_its_port():
    listener = Listener(KubernetesApi(Store([node("a")])))
    await listener.start()
    async with asking(listener.url) as client:
        assert await client.status("/version") == 200
        await listener.stop()
        with pytest.raises(aiohttp.ClientConnectorError):
            await client.status("/version")
        await listener.start()
        assert await client.names("/api/v1/nodes") == ["a"]
    await listener.stop()


async def test_a_stop_drops_the_watches_that_are_open():
    watch = "/api/v1/nodes?watch=true"
    async with (
        Listener(KubernetesApi(Store([node("a")]))) as listener,
        asking(listener.url) as client,
        client.stream(watch) as lines,
    ):
        await anext(lines)
        await listener.stop()
        with pytest.raises(aiohttp.ClientPayloadError):
            await anext(lines)


async def test_a_listener_that_never_started_stops_without_a_word():
    await Listener(KubernetesApi()).stop()
