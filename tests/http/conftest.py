"""A gateway with the tiny schema, served on loopback and asked by a real client."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from gateway.app import create_app
from gateway.simulator.listener import Listener
from tests.http.tiny import Fleets


@pytest.fixture
def fleets() -> Fleets:
    return Fleets()


@pytest.fixture
async def client(fleets: Fleets) -> AsyncIterator[aiohttp.ClientSession]:
    async with (
        Listener(create_app(fleets.parts())) as listener,
        aiohttp.ClientSession(
            listener.url, headers={"Accept": "application/graphql-response+json"}
        ) as session,
    ):
        yield session
