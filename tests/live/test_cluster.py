"""The cluster of the tests is one: what other tests rely on its programs for, they do."""

import json

import pytest

from tests.servers.cluster import Cluster
from tests.servers.control_plane import Refusal

NAMESPACE = "lively"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
QUOTAS = f"/api/v1/namespaces/{NAMESPACE}/resourcequotas"
BUDGETS = f"/apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets"
NODE = "/api/v1/nodes/lively-01"
POOL = {"pool": "lively"}


@pytest.fixture(scope="module")
async def lively(cluster):
    """A namespace and a node of two cards."""
    await cluster.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    await cluster.create("/api/v1/nodes", {"metadata": {"name": "lively-01", "labels": POOL}})
    cards = {"cpu": "8", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": "2"}
    await cluster.patch_status(NODE, {"capacity": cards, "allocatable": cards})
    yield cluster
    await cluster.request("DELETE", NODE)
    await cluster.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}")


def a_pod(name, cards=1, **more):
    container = {"name": "main", "image": "trainer", "resources": {"limits": {"nvidia.com/gpu": str(cards)}}}
    spec = {"containers": [container], "nodeSelector": POOL}
    return {"metadata": {"name": name, "labels": {"app": name}}, "spec": spec, **more}


def condition(thing, kind):
    return next((one for one in thing["status"].get("conditions", ()) if one["type"] == kind), None)


def is_running(pod):
    return pod["status"]["phase"] == "Running" and condition(pod, "Ready")["status"] == "True"


async def test_a_node_becomes_ready_and_loses_its_taint(lively: Cluster):
    await lively.until(NODE, lambda node: (condition(node, "Ready") or {}).get("status") == "True")
    node = await lively.until(NODE, lambda node: not node["spec"].get("taints"))
    assert node["status"]["allocatable"]["nvidia.com/gpu"] == "2"


async def test_a_pod_is_scheduled_runs_and_goes(lively: Cluster):
    await lively.create(PODS, a_pod("trainer"))
    pod = await lively.until(f"{PODS}/trainer", is_running)
    assert pod["spec"]["nodeName"] == "lively-01"
    await lively.request("DELETE", f"{PODS}/trainer")
    await lively.until_gone(f"{PODS}/trainer")


async def test_a_pod_that_fits_nowhere_is_told_why_by_the_scheduler(lively: Cluster):
    await lively.create(PODS, a_pod("huge", cards=3))
    pod = await lively.until(f"{PODS}/huge", lambda pod: condition(pod, "PodScheduled") is not None)
    told = condition(pod, "PodScheduled")
    assert (told["status"], told["reason"]) == ("False", "Unschedulable")
    assert "1 Insufficient nvidia.com/gpu" in told["message"]
    await lively.request("DELETE", f"{PODS}/huge")


async def test_a_budget_stops_an_eviction_until_it_allows_one(lively: Cluster):
    budget = {"metadata": {"name": "held"}, "spec": {"minAvailable": 1, "selector": selector("held")}}
    await lively.create(BUDGETS, budget)
    await lively.create(PODS, a_pod("held"))
    await lively.until(f"{PODS}/held", is_running)
    await lively.until(f"{BUDGETS}/held", lambda budget: budget["status"].get("currentHealthy") == 1)
    with pytest.raises(Refusal, match="429") as refused:
        await evict(lively, "held")
    answer = json.loads(str(refused.value).partition(" 429 ")[2])
    assert [cause["reason"] for cause in answer["details"]["causes"]] == ["DisruptionBudget"]
    await lively.request("DELETE", f"{BUDGETS}/held")
    await evict(lively, "held")
    await lively.until_gone(f"{PODS}/held")


async def test_what_pods_ask_is_counted_against_their_quota(lively: Cluster):
    await lively.create(PODS, a_pod("counted", cards=2))
    hard = {"requests.nvidia.com/gpu": "4"}
    await lively.create(QUOTAS, {"metadata": {"name": "cards"}, "spec": {"hard": hard}})
    quota = await lively.until(f"{QUOTAS}/cards", lambda quota: quota["status"].get("used"))
    assert quota["status"]["used"] == {"requests.nvidia.com/gpu": "2"}
    with pytest.raises(Refusal, match="exceeded quota"):
        await lively.create(PODS, a_pod("beyond", cards=3))


def selector(app):
    return {"matchLabels": {"app": app}}


async def evict(cluster, pod):
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
    return await cluster.request("POST", f"{PODS}/{pod}/eviction", eviction)
