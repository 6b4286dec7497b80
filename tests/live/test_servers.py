"""Each real server of the tests answers as itself."""

import asyncio

import aiohttp
import asyncpg
import pytest

from tests.servers.control_plane import ControlPlane, Refusal
from tests.servers.jwt import mint
from tests.servers.slurm import Slurm
from tests.servers.volcano import POD_GROUPS, QUEUES

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "gpu-01"},
    "status": {
        "allocatable": {"nvidia.com/gpu": "8"},
        "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": ""}],
    },
}

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "trainer"},
    "spec": {
        "containers": [
            {"name": "main", "image": "trainer", "resources": {"limits": {"nvidia.com/gpu": "2"}}},
        ]
    },
}


async def test_the_api_server_keeps_a_node_with_its_status(control_plane: ControlPlane):
    await control_plane.create("/api/v1/nodes", NODE)
    (node,) = (await control_plane.request("GET", "/api/v1/nodes"))["items"]
    assert node["status"]["allocatable"] == {"nvidia.com/gpu": "8"}
    await control_plane.request("DELETE", "/api/v1/nodes/gpu-01")


async def test_the_api_server_takes_a_pod_although_no_controller_makes_service_accounts(
    control_plane: ControlPlane,
):
    pods = "/api/v1/namespaces/default/pods"
    pod = await control_plane.create(pods, POD)
    assert pod["spec"]["containers"][0]["resources"]["requests"] == {"nvidia.com/gpu": "2"}
    await control_plane.request("DELETE", f"{pods}/trainer?gracePeriodSeconds=0")


async def test_a_killed_api_server_comes_back_with_what_it_held(control_plane: ControlPlane):
    await control_plane.create("/api/v1/nodes", NODE)
    control_plane.api_server.kill()
    with pytest.raises(aiohttp.ClientConnectorError):
        await control_plane.request("GET", "/api/v1/nodes")
    await control_plane.restart()
    node = await control_plane.request("DELETE", "/api/v1/nodes/gpu-01")
    assert node["status"] == "Success"


async def test_a_paused_api_server_takes_the_question_and_does_not_answer(control_plane: ControlPlane):
    control_plane.api_server.pause()
    asked = asyncio.create_task(control_plane.request("GET", "/api/v1/nodes"))
    answered, _ = await asyncio.wait({asked}, timeout=0.5)
    control_plane.api_server.resume()
    assert not answered
    assert (await asked)["kind"] == "NodeList"


async def test_the_api_server_knows_no_queues_without_volcano(control_plane: ControlPlane):
    with pytest.raises(Refusal, match="404"):
        await control_plane.request("GET", QUEUES)


async def test_the_api_server_keeps_volcanos_objects_with_their_status(volcano_api: ControlPlane):
    allocated = {"allocated": {"nvidia.com/gpu": "4"}, "state": "Open"}
    meta = {"apiVersion": "scheduling.volcano.sh/v1beta1", "metadata": {"name": "research"}}
    queue = await volcano_api.create(QUEUES, {**meta, "kind": "Queue", "spec": {}, "status": allocated})
    group = {**meta, "kind": "PodGroup", "spec": {"queue": "research"}, "status": {"phase": "Inqueue"}}
    pod_group = await volcano_api.create(POD_GROUPS.format(namespace="default"), group)
    assert queue["status"] == allocated
    assert queue["spec"] == {"dequeueStrategy": "traverse"}
    assert pod_group["status"] == {"phase": "Inqueue"}


async def test_slurmrestd_lists_the_nodes_of_the_configuration(slurm: Slurm):
    async with aiohttp.ClientSession(slurm.url, headers=_headers(slurm.user, slurm.token)) as session:
        answers = [await _nodes(session, version) for version in range(38, 46)]
    served = [answer for answer in answers if answer is not None]
    assert served, "slurmrestd serves none of v0.0.38 to v0.0.45"
    assert served[-1]["gpu-h100-02"] == "gpu:h100:4"
    assert set(served[-1]) == {*slurm.nodes, "cpu-02"}


async def _nodes(session: aiohttp.ClientSession, version: int) -> dict[str, str] | None:
    async with session.get(f"/slurm/v0.0.{version}/nodes") as response:
        if response.status == 404:
            return None
        return {node["name"]: node["gres"] for node in (await response.json()).get("nodes", [])}


def _headers(user: str, token: str) -> dict[str, str]:
    return {"X-SLURM-USER-NAME": user, "X-SLURM-USER-TOKEN": token}


async def test_slurmrestd_takes_no_expired_token(slurm: Slurm):
    expired = mint(slurm.files.jwt_key.read_bytes(), slurm.user, expires=1)
    async with aiohttp.ClientSession(slurm.url, headers=_headers(slurm.user, expired)) as session:
        answers = [await _nodes(session, version) for version in range(38, 46)]
    assert not any(answers)


async def test_slurm_runs_a_job_on_the_gpus_that_it_asks_for(slurm: Slurm):
    job = await slurm.submit("--gres=gpu:t4:3", "--partition=infer")
    await slurm.runs(job)
    node = await slurm.run("scontrol", "show", "node", "gpu-t4-01", "--details")
    await slurm.run("scancel", str(job))
    assert "GresUsed=gpu:t4:3(IDX:0-2)" in node


async def test_postgres_answers_in_a_database_of_its_own(postgres_dsn: str):
    connection = await asyncpg.connect(postgres_dsn)
    try:
        assert (await connection.fetchval("SELECT version()")).startswith("PostgreSQL 18")
    finally:
        await connection.close()
