import asyncio
import json
import signal

import aiohttp
import asyncpg
import pytest

from gateway.cli.welcome import CHANGE, QUERIES
from tests.bundles import PLATFORM, write_bundle
from tests.command_line import run, serving

ASKED = """{
  cluster(name: "fleet") { nodes(first: 100) { totalCount edges { node { name gpus { cards } } } } }
  tenants { edges { node { name } } }
  sources { name state }
}"""


async def asked(url, query=ASKED):
    async with (
        aiohttp.ClientSession(url) as client,
        client.post("/graphql", json={"query": query}) as response,
    ):
        return await response.json()


async def answered_by_all(url, query=ASKED):
    """The answer once every source was read, which the demo does not wait for."""
    while True:
        answer = await asked(url, query)
        if all(source["state"] in {"FRESH", "ABSENT"} for source in answer["data"]["sources"]):
            return answer
        await asyncio.sleep(0.05)


@pytest.fixture(scope="module")
async def demo():
    async with serving("demo", "--port", 0) as running:
        yield running


async def test_the_demo_answers_from_all_four_systems(demo):
    answer = await answered_by_all(demo.url)

    systems = {source["name"].split("/")[0] for source in answer["data"]["sources"]}
    assert systems == {"kubernetes", "platform", "queues", "slurm"}
    assert answer["data"]["cluster"]["nodes"]["totalCount"] >= 36
    assert len(answer["data"]["tenants"]["edges"]) == 4
    assert "errors" not in answer


async def test_the_demo_says_it_is_ready_and_serves_its_metrics(demo):
    await answered_by_all(demo.url)
    async with aiohttp.ClientSession(demo.url) as client:
        async with client.get("/readyz") as response:
            assert (response.status, (await response.json())["status"]) == (200, "ready")
        async with client.get("/metrics") as response:
            assert "gpu_gateway_source_age_seconds" in await response.text()


@pytest.mark.parametrize("query", [query for _, query in QUERIES + CHANGE])
async def test_the_queries_that_the_demo_prints_are_answered_in_full(demo, query):
    await answered_by_all(demo.url)

    answer = await asked(demo.url, query)

    assert "errors" not in answer
    assert all(answer["data"].values())


async def test_a_cordon_that_is_asked_of_the_demo_comes_about(demo):
    await answered_by_all(demo.url)
    where = '{cluster: "fleet", name: "gpu-h100-03"}'

    written = await asked(
        demo.url,
        f"mutation {{ setCordon(input: {{node: {where}, cordoned: true}}) {{ problem {{ code }} }} }}",
    )

    assert written["data"] == {"setCordon": {"problem": None}}
    node = {"cordonedBy": None, "observed": None}
    while None in node.values():
        await asyncio.sleep(0.1)
        query = '{ node(cluster: "fleet", name: "gpu-h100-03") { cordonedBy observed { phase } } }'
        node = (await asked(demo.url, query))["data"]["node"]
    assert node["cordonedBy"] == "gpu-gateway"
    assert node["observed"]["phase"] in {"CORDONING", "CONVERGED"}


async def test_the_demo_serves_a_fleet_in_a_directory(tmp_path):
    bundle = write_bundle(tmp_path / "bundle")
    (bundle / "platform.yaml").write_text(PLATFORM)
    query = "{ sources { name state } clusters { nodes { nodes { name } } } tenants { nodes { name } } }"

    async with serving("demo", "--from", bundle, "--port", 0) as running:
        answer = await answered_by_all(running.url, query)

    assert answer["data"]["clusters"] == [{"nodes": {"nodes": [{"name": "gpu-01"}]}}]
    assert answer["data"]["tenants"] == {"nodes": [{"name": "vision"}]}


async def test_a_port_that_is_taken_is_told_with_the_fix(demo):
    port = demo.url.rpartition(":")[2]

    ended = await run("demo", "--port", port)

    assert ended.status == 2
    assert ended.err.startswith(
        f"gpu-gateway demo: port {port} on 127.0.0.1 cannot be taken: Address already in use"
    )


async def test_query_asks_the_running_demo(demo):
    await answered_by_all(demo.url)

    ended = await run("query", "--url", demo.url, '{ cluster(name: "fleet") { name } }')

    assert ended.status == 0
    assert json.loads(ended.out)["data"] == {"cluster": {"name": "fleet"}}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_the_demo_leaves_nothing_running(number):
    async with serving("demo", "--port", 0) as running:
        ended = await running.stop(number)

    dsn = next(line.split()[1] for line in ended.out.splitlines() if line.split()[:1] == ["Postgres"])
    assert (ended.status, ended.err.splitlines()[-1]) == (0, "stopped; nothing is left running")
    with pytest.raises(OSError, match="Connect call failed"):
        await asyncpg.connect(dsn, timeout=5)
    with pytest.raises(aiohttp.ClientConnectionError):
        await asked(running.url)


async def test_serve_answers_as_the_settings_say_though_no_system_answers(tmp_path):
    file = tmp_path / "gateway.toml"
    file.write_text(
        'port = 0\n[postgres]\ndsn = "postgresql://postgres@127.0.0.1:1/x"\n'
        '[[clusters]]\nname = "east"\nurl = "http://127.0.0.1:1"\n'
        '[[slurms]]\nname = "island"\ncluster = "east"\nurl = "http://127.0.0.1:1"\n'
    )

    async with serving("serve", GPU_GATEWAY_CONFIG=str(file)) as running:
        answer = await asked(
            running.url, '{ cluster(name: "east") { name nodes { totalCount } } tenants { totalCount } }'
        )
        ended = await running.stop(signal.SIGTERM)

    assert answer["data"] == {"cluster": {"name": "east", "nodes": None}, "tenants": None}
    assert {error["extensions"]["system"] for error in answer["errors"]} == {"KUBERNETES", "PLATFORM"}
    assert ended.status == 0
    assert all(json.loads(line)["message"] for line in ended.err.splitlines())
