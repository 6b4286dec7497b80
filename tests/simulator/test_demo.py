from collections import Counter
from datetime import UTC, datetime

import pytest
import yaml

from gateway.simulator.run import simulate
from gateway.simulator.scenario.demo import CLUSTER, SLURM, demo_fleet
from gateway.simulator.scenario.work import WORK
from tests.simulator.client import asking

NOW = datetime(2026, 11, 29, 19, 10, tzinfo=UTC)
VOLCANO = "/apis/scheduling.volcano.sh/v1beta1"


@pytest.fixture
async def fleet():
    """What the demo's systems answer in its first moment, by name, and the records of its platform."""
    async with simulate(demo_fleet(lambda: NOW)) as simulated:
        async with asking(simulated.clusters[CLUSTER]) as cluster:
            objects = {
                "nodes": await listed(cluster, "/api/v1/nodes"),
                "pods": await listed(cluster, "/api/v1/pods"),
                "queues": await listed(cluster, f"{VOLCANO}/queues"),
                "podgroups": await listed(cluster, f"{VOLCANO}/podgroups"),
                "quotas": await listed(cluster, "/api/v1/resourcequotas"),
            }
        async with asking(simulated.slurms[SLURM][0]) as slurm:
            _, nodes = await slurm.json("/slurm/v0.0.42/nodes")
            _, jobs = await slurm.json("/slurm/v0.0.42/jobs")
            _, partitions = await slurm.json("/slurm/v0.0.42/partitions")
    objects["slurm"] = {node["name"]: node for node in nodes["nodes"]}
    objects["jobs"] = jobs["jobs"]
    objects["partitions"] = partitions["partitions"]
    objects["records"] = yaml.safe_load(simulated.platform_file.read_text())
    return objects


async def listed(client, path):
    _, listing = await client.json(path)
    return {item["metadata"]["name"]: item for item in listing["items"]}


def gpus(node, kind="allocatable"):
    return node["status"][kind].get("nvidia.com/gpu")


def labels(node):
    return {key.removeprefix("nvidia.com/"): value for key, value in node["metadata"]["labels"].items()}


def is_ready(node):
    return any(one["type"] == "Ready" and one["status"] == "True" for one in node["status"]["conditions"])


def held_on(pods, node, resource="nvidia.com/gpu"):
    bound = (pod for pod in pods.values() if pod["spec"].get("nodeName") == node)
    requests = (
        container["resources"]["requests"] for pod in bound for container in pod["spec"]["containers"]
    )
    return sum(int(request.get(resource, 0)) for request in requests)


def records_of(fleet, tenant):
    return next(one for one in fleet["records"]["tenants"] if one["name"] == tenant)


async def test_the_fleet_is_of_the_promised_size(fleet):
    tenants = fleet["records"]["tenants"]

    assert len(fleet["nodes"].keys() | fleet["slurm"].keys()) == 40
    assert (len(tenants), sum(len(tenant["workspaces"]) for tenant in tenants)) == (4, 12)
    assert len(fleet["pods"]) > 300


async def test_each_workspace_has_its_queue_and_each_namespace_its_workspace(fleet):
    workspaces = [one for tenant in fleet["records"]["tenants"] for one in tenant["workspaces"]]

    assert {one["queue"] for one in workspaces} <= fleet["queues"].keys()
    assert {work.namespace for work in WORK} == {name for one in workspaces for name in one["namespaces"]}


async def test_no_node_gives_more_than_it_has(fleet):
    for name, node in fleet["nodes"].items():
        for resource, amount in node["status"]["allocatable"].items():
            if resource.startswith("nvidia.com/"):
                assert held_on(fleet["pods"], name, resource) <= int(amount), (name, resource)


async def test_a_record_outlives_its_node(fleet):
    held = [one["name"] for one in records_of(fleet, "robotics")["nodes"] if one["name"].startswith("gpu-t4")]

    assert len(held) == 3
    assert [name for name in held if name in fleet["nodes"]] == ["gpu-t4-04", "gpu-t4-05"]


async def test_a_node_idle_to_slurm_is_busy_on_kubernetes_and_the_reverse(fleet):
    assert fleet["slurm"]["gpu-h100-11"]["state"] == ["IDLE"]
    assert held_on(fleet["pods"], "gpu-h100-11") == 4
    assert fleet["slurm"]["gpu-h100-08"]["state"] == ["ALLOCATED"]
    assert held_on(fleet["pods"], "gpu-h100-08") == 0


async def test_an_amount_of_memory_stands_where_gpus_are_counted(fleet):
    assert fleet["queues"]["language-serving"]["status"]["allocated"]["nvidia.com/gpu"] == "13Gi"


async def test_slices_and_shares_look_like_devices(fleet):
    sliced, shared = fleet["nodes"]["gpu-a100-08"], fleet["nodes"]["gpu-t4-03"]

    assert (gpus(sliced), labels(sliced)["gpu.product"]) == ("4", "NVIDIA-A100-SXM4-80GB-MIG-3g.40gb")
    assert (labels(sliced)["mig.config"], labels(sliced)["mig.config.state"]) == ("all-3g.40gb", "success")
    assert (gpus(shared), labels(shared)["gpu.count"], labels(shared)["gpu.replicas"]) == ("4", "2", "2")


async def test_a_ready_node_offers_none_of_its_gpus(fleet):
    node = fleet["nodes"]["gpu-h200-04"]

    assert (is_ready(node), gpus(node), labels(node)["gpu.count"]) == (True, "0", "8")


async def test_h100s_are_on_record_for_a_tenant_that_holds_t4s(fleet):
    search = records_of(fleet, "search")
    claimed = {one["name"]: one["gpuType"] for one in search["nodes"]}
    ranking = next(one for one in search["workspaces"] if one["name"] == "ranking")

    assert (claimed["gpu-t4-02"], ranking["allocations"]["H100-80GB"]) == ("H100-80GB", 4)
    assert labels(fleet["nodes"]["gpu-t4-02"])["gpu.product"] == "Tesla-T4-SHARED"


async def test_a_queue_deserves_no_gpu_and_its_work_asks_for_them(fleet):
    perception = fleet["queues"]["robotics-perception"]

    assert "nvidia.com/gpu" not in perception["spec"]["deserved"]
    assert int(perception["status"]["allocated"]["nvidia.com/gpu"]) > 0


async def test_a_quota_counts_nothing_for_want_of_its_prefix_and_another_is_above_all_there_is(fleet):
    quota, high = fleet["quotas"]["gpus"], fleet["quotas"]["unlimited"]

    assert quota["metadata"]["namespace"] == "vision-labeling"
    assert high["spec"]["hard"] == {"requests.nvidia.com/gpu": "10k"}
    assert quota["spec"]["hard"] == quota["status"]["hard"] == {"nvidia.com/gpu": "8"}
    assert quota["status"]["used"] == {"nvidia.com/gpu": "0"}


async def test_queues_count_the_pods_of_their_groups_and_parents_their_children(fleet):
    groups = {name: group["spec"]["queue"] for name, group in fleet["podgroups"].items()}
    used = Counter()
    for pod in fleet["pods"].values():
        group = pod["metadata"].get("annotations", {}).get("scheduling.k8s.io/group-name")
        if group and pod["spec"].get("nodeName"):
            used[groups[group]] += int(
                pod["spec"]["containers"][0]["resources"]["requests"].get("nvidia.com/gpu", 0)
            )
    allocated = {
        name: queue["status"]["allocated"].get("nvidia.com/gpu") for name, queue in fleet["queues"].items()
    }

    assert (allocated["vision-training"], used["vision-training"]) == ("24", 24)
    assert allocated["language"] == str(sum(used[name] for name in used if name.startswith("language-")))
    assert allocated["root"] == str(used.total())


async def test_a_gang_waits_with_volcano_s_words(fleet):
    [group] = [one for one in fleet["podgroups"].values() if one["status"]["phase"] == "Inqueue"]
    [condition] = group["status"]["conditions"]

    assert (condition["type"], group["spec"]["minMember"]) == ("Unschedulable", 4)
    assert condition["message"].startswith(
        "4/4 tasks in gang unschedulable: pod group is not ready, 4 Pending"
    )


async def test_a_cordon_says_who_made_it(fleet):
    managers = {
        entry["manager"]
        for entry in fleet["nodes"]["gpu-h100-12"]["metadata"]["managedFields"]
        if "f:unschedulable" in entry["fieldsV1"].get("f:spec", {})
    }

    assert managers == {"kubectl-cordon"}


async def test_slurm_names_what_keeps_its_nodes_from_work(fleet):
    assert fleet["slurm"]["hpc-h100-03"]["state"] == ["IDLE", "DRAIN"]
    assert set(fleet["slurm"]["hpc-h100-04"]["state"]) == {"IDLE", "DRAIN", "INVALID_REG"}
    assert fleet["slurm"]["hpc-h100-02"]["gres_used"] == "gpu:h100:4(IDX:0-3)"


async def test_the_cards_of_slurm_s_jobs_are_those_of_its_nodes(fleet):
    held = Counter()
    for job in fleet["jobs"]:
        for detail in job["gres_detail"]:
            held[job["nodes"]] += int(detail.split("(")[0].split(":")[2])

    for name, node in fleet["slurm"].items():
        assert node["gres_used"].startswith(f"gpu:h100:{held[name]}("), name
    assert fleet["partitions"][0]["nodes"]["total"] == len(fleet["slurm"])


async def test_the_fleet_is_the_same_in_every_run(fleet):
    again = demo_fleet(lambda: NOW).clusters[CLUSTER].store.collection("v1", "pods").snapshot()

    assert {pod.body["metadata"]["name"] for pod in again} == fleet["pods"].keys()
