"""Each real server of the tests answers as itself."""

import aiohttp
import asyncpg

from tests.servers.control_plane import ControlPlane
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
    headers = {"X-SLURM-USER-NAME": slurm.user, "X-SLURM-USER-TOKEN": slurm.token}
    async with aiohttp.ClientSession(slurm.url, headers=headers) as session:
        answers = [await _nodes(session, version) for version in range(38, 46)]
    served = [answer for answer in answers if answer is not None]
    assert served, "slurmrestd serves none of v0.0.38 to v0.0.45"
    assert served[-1]["gpu-h100-02"] == "gpu:h100:4"
    assert set(served[-1]) == {*slurm.nodes, "cpu-02"}


async def _nodes(session: aiohttp.ClientSession, version: int) -> dict[str, str] | None:
    async with session.get(f"/slurm/v0.0.{version}/nodes") as response:
        if response.status == 404:
            return None
        return {node["name"]: node["gres"] for node in (await response.json())["nodes"]}


async def test_postgres_answers_in_a_database_of_its_own(postgres_dsn: str):
    connection = await asyncpg.connect(postgres_dsn)
    try:
        assert (await connection.fetchval("SELECT version()")).startswith("PostgreSQL 18")
    finally:
        await connection.close()
