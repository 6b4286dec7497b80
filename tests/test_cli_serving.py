import asyncio
import signal

import aiohttp
import pytest

from gateway.app import create_app
from gateway.assembly import Assembly
from gateway.cli.listening import answer_until_told, listen, url_of
from gateway.controllers.alert_keeper import AlertKeeper
from gateway.errors import Invalid
from tests.http.tiny import Fleets


class Dying:
    async def run(self) -> None:
        await asyncio.sleep(0)
        raise ZeroDivisionError


async def test_a_source_that_dies_of_a_fault_of_ours_ends_the_gateway():
    fleets = Fleets()
    assembly = Assembly(keeper=fleets.keeper, sources=(Dying(),), alerts=AlertKeeper(fleets.keeper))

    async with asyncio.timeout(10):
        with listen("127.0.0.1", 0) as listening, pytest.raises(ExceptionGroup):
            async with assembly.running():
                await answer_until_told(create_app(fleets.parts()), listening)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
async def test_answers_on_the_address_that_it_says(host):
    with listen(host, 0) as listening:
        url = url_of(listening)
        started = asyncio.Event()
        server = asyncio.create_task(answer_until_told(create_app(Fleets().parts()), listening, started.set))
        await started.wait()

        async with aiohttp.ClientSession() as client, client.get(f"{url}/healthz") as response:
            assert response.status == 200
        signal.raise_signal(signal.SIGTERM)
        await server


async def test_a_port_that_is_taken_is_told_with_the_fix():
    with listen("127.0.0.1", 0) as listening:
        listening.listen()
        with pytest.raises(Invalid, match="choose another port"):
            listen("127.0.0.1", listening.getsockname()[1])
