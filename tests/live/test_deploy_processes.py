"""What deploy/ starts works with what it gives: its settings, its accounts, a login of each one's own."""

import asyncio

import aiohttp
import pytest

from tests.command_line import run, serving
from tests.live.installation import DEPLOY, SECRETS, as_account, containers_of, objects, requests_of
from tests.servers.audit import refused

CONFIG = "/etc/gpu-gateway"
PORTS = {"GPU_GATEWAY_PORT": "0", "GPU_GATEWAY_CONTROLLERS_PORT": "0"}


@pytest.fixture
async def container(deployed, postgres_dsn, tmp_path):
    """What a container is started with, its folder here and its account's token in it."""

    async def started(name, secret, account="gateway"):
        settings = (DEPLOY / "settings.toml").read_text()
        way = f'url = "{deployed.url}"\ntoken_file = "{tmp_path}/token"\nca_file = "{deployed.ca}"'
        (tmp_path / "settings.toml").write_text(settings.replace("in_cluster = true", way))
        (tmp_path / "token").write_text((await as_account(deployed, account)).token)
        for key, role in SECRETS[secret].items():
            (tmp_path / key).write_text(postgres_dsn.replace("postgres@", f"{role}@"))
        (found,) = [it for one in await objects() for it in containers_of(one) if it["name"] == name]
        given = {it["name"]: it["value"].replace(CONFIG, str(tmp_path)) for it in found["env"]}
        return found["args"], given | PORTS

    return started


@pytest.fixture
async def migrated(container):
    arguments, settings = await container("migrate", "gpu-gateway-migrate")
    ended = await run(*arguments, **settings)
    assert (ended.status, ended.err) == (0, "")


@pytest.mark.usefixtures("migrated")
async def test_the_gateway_finds_all_that_it_reads(deployed, container):
    arguments, settings = await container("gateway", "gpu-gateway")
    since = len(requests_of(deployed, "gateway"))
    checked = await run("check-config", **settings)
    assert {line.split()[0] for line in checked.out.splitlines()} <= {"ok", "absent"}, checked.out
    async with serving(*arguments, **settings) as running:
        await ready(f"{running.url}/readyz?strict")
    assert refused(requests_of(deployed, "gateway")[since:]) == []


@pytest.mark.usefixtures("migrated")
async def test_the_controllers_lead(deployed, container):
    arguments, settings = await container("controllers", "gpu-gateway-controllers", "controllers")
    since = len(requests_of(deployed, "controllers"))
    checked = await run("check-config", "--controllers", **settings)
    assert {line.split()[0] for line in checked.out.splitlines()} <= {"ok", "absent"}, checked.out
    assert "patch nodes: allowed" in checked.out
    lease = "/apis/coordination.k8s.io/v1/namespaces/gpu-gateway/leases/gpu-gateway-controllers"
    async with serving(*arguments, **settings) as running:
        await ready(f"{running.url}/readyz?strict")
        await deployed.until(lease, lambda lease: lease["spec"]["holderIdentity"])
    assert refused(requests_of(deployed, "controllers")[since:]) == []


async def ready(url):
    """Return once every source was read."""
    said = ""
    try:
        async with asyncio.timeout(60), aiohttp.ClientSession() as session:
            while True:
                async with session.get(url) as response:
                    said = await response.text()
                    if response.status == 200:
                        return
                await asyncio.sleep(0.1)
    except TimeoutError:
        raise AssertionError(said) from None
