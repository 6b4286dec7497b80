"""gpu-gateway controllers as people run it, on a simulated API server and a real database."""

import asyncio
import json
import signal
import socket

import aiohttp
import pytest

from gateway.sources.postgres.migrate import migrate
from tests.command_line import run, serving
from tests.sources.kubernetes.simulated import simulated
from tests.sources.postgres.as_writer import HEALTH, RECONCILER, dsn_of

LEASE = "/apis/coordination.k8s.io/v1/namespaces/gpu-gateway/leases/gpu-gateway-controllers"
CLUSTER = '[[clusters]]\nname = "fleet"\nurl = "{url}"\n'


def settings(folder, text):
    (folder / "settings.toml").write_text(text)
    return {"GPU_GATEWAY_CONFIG": str(folder / "settings.toml"), "GPU_GATEWAY_CONTROLLERS_PORT": "0"}


async def test_it_leads_says_so_and_ends_by_letting_another_lead(postgres_dsn, tmp_path):
    await migrate(postgres_dsn)
    roles = f'dsn = "{dsn_of(RECONCILER, postgres_dsn)}"\nhealth_dsn = "{dsn_of(HEALTH, postgres_dsn)}"\n'
    async with simulated() as peer:
        text = f"[postgres]\n{roles}{CLUSTER.format(url=peer.access.way.url)}"
        async with serving("controllers", **settings(tmp_path, text)) as running:
            holder = await holder_of(peer)
            async with aiohttp.ClientSession() as client, client.get(f"{running.url}/healthz") as response:
                assert await response.json() == {"status": "alive"}
            async with aiohttp.ClientSession() as client, client.get(f"{running.url}/graphql") as response:
                assert response.status == 404
            ended = await running.stop(signal.SIGTERM)
        lease = await peer.request("GET", LEASE)

    assert holder
    assert (ended.status, lease["spec"]["holderIdentity"]) == (0, "")
    assert all(json.loads(line)["level"] != "error" for line in ended.err.splitlines())


async def holder_of(peer):
    """Who leads, once somebody does."""
    async with asyncio.timeout(20):
        while True:
            async with aiohttp.ClientSession() as client, client.get(peer.access.way.url + LEASE) as response:
                if response.ok and (holder := (await response.json())["spec"]["holderIdentity"]):
                    return holder
            await asyncio.sleep(0.05)


async def test_a_port_that_is_taken_is_told_with_the_setting_that_chooses_another(tmp_path):
    text = CLUSTER.format(url="http://127.0.0.1:1")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        chosen = settings(tmp_path, text) | {"GPU_GATEWAY_CONTROLLERS_PORT": port}
        ended = await run("controllers", **chosen)

    assert ended.status == 2
    assert "choose another port (GPU_GATEWAY_CONTROLLERS_PORT)" in ended.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (CLUSTER.format(url="http://127.0.0.1:1"), "no database is set, where what is desired would stand"),
        (
            '[postgres]\ndsn = "postgresql://127.0.0.1/x"\n',
            "no cluster is set, so there is nothing to control",
        ),
    ],
)
async def test_what_it_cannot_do_without_is_told_with_the_fix(text, says, tmp_path):
    ended = await run("controllers", **settings(tmp_path, text))

    assert ended.status == 2
    assert says in ended.err
