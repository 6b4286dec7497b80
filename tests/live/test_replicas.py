"""Two replicas as they run: processes of their own on one Postgres, Valkey, Kubernetes and Slurm."""

import asyncio
import re
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from gateway.fleet.clock import utc_now
from gateway.simulator.faults import WireFault
from gateway.simulator.run import Simulated, simulate
from gateway.simulator.scenario.demo import CLUSTER, SLURM, demo_fleet
from gateway.simulator.slurmrestd import Answers, Slurmrestd
from gateway.sources.postgres.migrate import migrate
from gateway.sources.postgres.platform_file import read_platform_file
from gateway.sources.postgres.write import import_platform
from gateway.sources.slurm.shared.wire import NAMESPACE, Turn, Typed
from tests.command_line import Running, run, serving
from tests.servers.valkey import Valkey

NUMBERS = """{
  clusters {
    capacity { gpuType { name } target physical healthy allocated available deficit unknowns { field } }
    nodes(first: 1000) { nodes { name ready busy gpus { cards wholeCards }
      slurm { states gres { configured used } jobs { name state } } } }
  }
  tenants(first: 1000) { nodes {
    name workspaces(first: 1000) { nodes { name allocations { gpuType { name } cards } } } } }
}"""
HEARD = "{ sources { name state lastSuccessAt } }"
SECONDS = 60


class Counted:
    """Answers of a Slurm, and how often each was asked for."""

    def __init__(self, answers: Answers) -> None:
        self.times: Counter[str] = Counter()
        self._answers = answers

    def serves(self, version: str) -> bool:
        return self._answers.serves(version)

    def answer(self, version: str, what: str) -> bytes | None:
        self.times[what] += 1
        return self._answers.answer(version, what)


class Replica:
    """One process, asked over HTTP."""

    def __init__(self, running: Running, client: aiohttp.ClientSession) -> None:
        self.running = running
        self._client = client

    async def ask(self, query: str) -> Any:
        async with self._client.post(f"{self.running.url}/graphql", json={"query": query}) as response:
            body = await response.json()
        assert "data" in body, body
        return body["data"]

    async def heard(self) -> str | None:
        """When Slurm last listed its nodes, as this replica tells."""
        sources = {source["name"]: source for source in (await self.ask(HEARD))["sources"]}
        at: str | None = sources[f"slurm/{SLURM}/nodes"]["lastSuccessAt"]
        return at

    async def count(self, name: str) -> float:
        """The sum of a metric's samples whose name and labels begin like this."""
        async with self._client.get(f"{self.running.url}/metrics") as response:
            text = await response.text()
        return sum(map(float, re.findall(rf"^{re.escape(name)}\S* (\S+)$", text, re.MULTILINE)))

    async def hears_again(self) -> None:
        """Return once Slurm's nodes were listed anew."""
        before = await self.heard()

        async def again() -> bool:
            return await self.heard() != before

        await until(again)


class Site:
    """What the replicas read."""

    def __init__(self, slurmrestd: Slurmrestd, counted: Counted, environ: dict[str, str]) -> None:
        self.slurmrestd = slurmrestd
        self.counted = counted
        self.environ = environ
        self._stack = AsyncExitStack()

    async def replica(self) -> Replica:
        """One more replica, which answers with everything."""
        running = await self._stack.enter_async_context(serving("serve", **self.environ))
        replica = Replica(running, await self._stack.enter_async_context(aiohttp.ClientSession()))

        async def knows_all() -> bool:
            states = {source["state"] for source in (await replica.ask(HEARD))["sources"]}
            return "NEVER" not in states

        await until(knows_all)
        return replica

    async def close(self) -> None:
        await self._stack.aclose()


@pytest.fixture
async def site(postgres_dsn: str, valkey: Valkey, tmp_path: Path) -> AsyncIterator[Site]:
    async with _site(postgres_dsn, valkey, tmp_path) as one:
        yield one


@asynccontextmanager
async def _site(dsn: str, valkey: Valkey, folder: Path) -> AsyncIterator[Site]:
    world = replace(demo_fleet(utc_now), life=None)
    slurmrestd = world.slurms[SLURM].api
    slurmrestd.answers = counted = Counted(slurmrestd.answers)
    assert world.platform_file
    await migrate(dsn)
    await import_platform(dsn, read_platform_file(world.platform_file, [CLUSTER]))
    async with simulate(world) as simulated:
        config = folder / "gateway.toml"
        config.write_text(_toml(simulated, dsn, valkey.url))
        one = Site(slurmrestd, counted, {"GPU_GATEWAY_CONFIG": str(config)})
        try:
            yield one
        finally:
            await one.close()


def _toml(simulated: Simulated, dsn: str, cache: str) -> str:
    return f"""
        port = 0
        log_level = "error"
        slurm_poll = "500ms"
        platform_resync = "1h"
        [postgres]
        dsn = "{dsn}"
        [cache]
        url = "{cache}"
        [[clusters]]
        name = "{CLUSTER}"
        url = "{simulated.clusters[CLUSTER]}"
        [[slurms]]
        name = "{SLURM}"
        cluster = "{CLUSTER}"
        url = "{simulated.slurms[SLURM][0]}"
    """


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Return once this holds."""
    async with asyncio.timeout(SECONDS):
        while not await holds():  # noqa: ASYNC110  another process sets no event
            await asyncio.sleep(0.05)


async def test_two_replicas_tell_the_same_numbers_and_ask_slurm_once(site: Site):
    first, second = await site.replica(), await site.replica()
    before, seen = site.counted.times["nodes"], {await first.heard()}
    while len(seen) < 8:
        seen |= {await first.heard(), await second.heard()}
        await asyncio.sleep(0.02)
    assert site.counted.times["nodes"] - before <= len(seen) + 1
    numbers = await first.ask(NUMBERS)
    assert await second.ask(NUMBERS) == numbers
    nodes = numbers["clusters"][0]["nodes"]["nodes"]
    assert sum(node["slurm"] is not None for node in nodes) > 0
    asked = 'gpu_gateway_slurm_answers_total{came="shared",listing="nodes"'
    assert await first.count(asked) + await second.count(asked) > 0


async def test_a_replica_that_is_killed_in_its_turn_loses_it(site: Site, valkey: Valkey):
    first = await site.replica()
    site.slurmrestd.fault = WireFault.HUNG
    async with valkey.client() as client:

        async def is_asking() -> bool:
            (key,) = [key async for key in client.scan_iter(f"{NAMESPACE}:*:nodes:turn")] or [b""]
            turn = Typed().loads(await client.get(key))
            return isinstance(turn, Turn) and not turn.is_answered

        await until(is_asking)
    second = await site.replica()
    await first.running.stop(signal.SIGKILL)
    site.slurmrestd.fault = None
    await second.hears_again()
    await second.hears_again()


async def test_replicas_go_on_alone_without_their_cache_and_share_again_with_a_new_one(
    site: Site, valkey: Valkey
):
    replicas = [await site.replica(), await site.replica()]
    valkey.process.kill()
    for replica in replicas:

        async def is_alone(replica: Replica = replica) -> bool:
            return await replica.count("gpu_gateway_cache_up") == 0

        await until(is_alone)
        await replica.hears_again()
    await valkey.restart()
    for replica in replicas:

        async def is_back(replica: Replica = replica) -> bool:
            return await replica.count("gpu_gateway_cache_up") == 1

        await until(is_back)
        await replica.hears_again()


async def test_both_see_an_import_without_waiting_for_the_next_resync(site: Site, tmp_path: Path):
    first, second = await site.replica(), await site.replica()
    file = tmp_path / "platform.yaml"
    file.write_text("tenants:\n  - {name: newcomer, displayName: Newcomer}\n")
    imported = await run("import", file, **site.environ)
    assert imported.status == 0, imported.err

    for replica in (first, second):

        async def knows(replica: Replica = replica) -> bool:
            return (await replica.ask('{ tenant(name: "newcomer") { name } }'))["tenant"] is not None

        await until(knows)


async def test_a_replica_that_is_told_to_stop_ends_and_the_other_goes_on(site: Site):
    first, second = await site.replica(), await site.replica()
    ended = await first.running.stop(signal.SIGTERM)
    assert ended.status == 0, ended.err
    await second.hears_again()
