import json

import pytest

from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.store import Store
from tests.contracts.kubernetes_peer import BUDGETS, MERGE, PODS
from tests.servers.control_plane import Refusal
from tests.sources.kubernetes.simulated import simulated

APPLY = "application/apply-patch+yaml"
NODE = "/api/v1/nodes/gpu-1"
MAPS = "/api/v1/namespaces/a/configmaps"


@pytest.fixture
async def server():
    async with simulated() as one:
        await one.request("POST", "/api/v1/nodes?fieldManager=kubelet", {"metadata": {"name": "gpu-1"}})
        yield one


async def refused(server, *request):
    with pytest.raises(Refusal) as refusal:
        await server.request(*request)
    return str(refusal.value)


def an_apply(**more):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1"}, **more}


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (("PATCH", NODE, {}, "application/json-patch+json"), "415"),
        (("PATCH", NODE, an_apply(), APPLY), "fieldManager: Required value"),
        (("PATCH", f"{NODE}?fieldManager=a&force=true", an_apply(), APPLY), "does not know forced applies"),
        (
            ("PATCH", f"{NODE}?fieldManager=a", an_apply(spec={"unschedulabel": True}), APPLY),
            "not declared in schema",
        ),
        (("PATCH", f"{NODE}/status?fieldManager=a", an_apply(), APPLY), "for nodes alone"),
        (("PUT", NODE, {"metadata": {"name": "gpu-2"}}), "does not match the name on the URL"),
        (("PUT", f"{NODE}/status", {}), "does not allow this method"),
        (("POST", NODE, {}), "does not allow this method"),
        (("POST", "/api/v1/nodes", {"metadata": {}}), "name or generateName is required"),
        (("POST", "/api/v1/nodes", {"metadata": {"name": "gpu-1"}}), "AlreadyExists"),
        (("POST", "/api/v1/nodes", {"metadata": {"name": "b", "resourceVersion": "1"}}), "should not be set"),
        (("POST", "/api/v1/nodes", []), "cannot unmarshal"),
        (("PUT", f"{MAPS}/nowhere", {"metadata": {"name": "nowhere"}}), '404 {"kind":"Status"'),
        (("DELETE", NODE, {"preconditions": {"uid": "1"}}), "does not match the UID in record"),
    ],
)
async def test_what_is_wrong_or_not_modelled_is_said(server, request_, said):
    assert said in await refused(server, *request_)


async def test_an_apply_makes_nothing_that_is_not_there(server):
    missing = an_apply() | {"metadata": {"name": "gpu-9"}}
    path = "/api/v1/nodes/gpu-9?fieldManager=a"
    assert "does not create" in await refused(server, "PATCH", path, missing, APPLY)
    missing["metadata"]["uid"] = "1"
    assert "uid mismatch" in await refused(server, "PATCH", path, missing, APPLY)


async def test_conflicts_are_told_by_manager_and_field(server):
    both = {"metadata": {"annotations": {"k": "1", "l": "1"}}}
    await server.request("PATCH", f"{NODE}?fieldManager=other", both, MERGE)
    ours = an_apply() | {"metadata": {"name": "gpu-1", "annotations": {"k": "2", "l": "2"}}}
    said = await refused(server, "PATCH", f"{NODE}?fieldManager=a", ours, APPLY)
    status = json.loads(said[said.index("{") :])
    words = 'Apply failed with 2 conflicts: conflicts with "other" using v1:\n- .metadata.annotations.k\n'
    assert status["message"] == f"{words}- .metadata.annotations.l"
    assert [cause["field"] for cause in status["details"]["causes"]] == [
        ".metadata.annotations.k",
        ".metadata.annotations.l",
    ]


async def test_a_dry_run_answers_what_would_be_and_stores_nothing(server):
    before = await server.request("GET", NODE)
    labels = {"metadata": {"labels": {"rack": "r1"}}}
    would = await server.request("PATCH", f"{NODE}?dryRun=All", labels, MERGE)
    assert would["metadata"]["labels"] == {"rack": "r1"}
    assert await server.request("GET", NODE) == before


async def test_a_status_is_written_by_its_own_path_alone(server):
    patch = {"status": {"capacity": {"cpu": "8"}}, "spec": {"unschedulable": True}}
    assert "status" not in await server.request("PATCH", NODE, patch | {"spec": {}}, MERGE)
    written = await server.request("PATCH", f"{NODE}/status?fieldManager=kubelet", patch, MERGE)
    assert written["status"] == {"capacity": {"cpu": "8"}}
    assert "unschedulable" not in written["spec"]
    managers = {(it["manager"], it.get("subresource")) for it in written["metadata"]["managedFields"]}
    assert ("kubelet", "status") in managers


async def test_a_watch_sees_what_is_written(server):
    version = (await server.request("GET", NODE))["metadata"]["resourceVersion"]
    await server.request("PATCH", NODE, {"metadata": {"labels": {"rack": "r1"}}}, MERGE)
    await server.request("DELETE", NODE)
    changes = server.api.store.collection("v1", "nodes").since(int(version))
    events = [json.loads(change.line) for change in changes]
    assert [event["type"] for event in events] == ["MODIFIED", "DELETED"]


async def test_only_one_of_two_replacements_of_a_version_is_taken(server):
    made = await server.request("POST", MAPS, {"metadata": {"name": "c"}, "data": {"k": "1"}})
    await server.request("PUT", f"{MAPS}/c", made | {"data": {"k": "2"}})
    assert "the object has been modified" in await refused(server, "PUT", f"{MAPS}/c", made)
    assert (await server.request("GET", f"{MAPS}/c"))["data"] == {"k": "2"}


async def test_an_object_of_a_bundle_that_has_no_uid_can_be_written_and_deleted(server):
    body = {"metadata": {"name": "bare", "namespace": "a"}, "apiVersion": "v1", "kind": "ConfigMap"}
    server.api.store.put(body)
    found = await server.request("GET", f"{MAPS}/bare")
    assert (await server.request("PUT", f"{MAPS}/bare", found | {"data": {"k": "1"}}))["data"] == {"k": "1"}
    assert "does not match" in await refused(
        server, "DELETE", f"{MAPS}/bare", {"preconditions": {"uid": "1"}}
    )
    assert (await server.request("DELETE", f"{MAPS}/bare"))["status"] == "Success"


async def test_a_lease_must_be_one(server):
    path, lease = "/apis/coordination.k8s.io/v1/namespaces/a/leases", {"metadata": {"name": "l"}}
    coarse = lease | {"spec": {"renewTime": "2026-01-01T00:00:00Z"}}
    assert "cannot be handled as a Lease" in await refused(server, "POST", path, coarse)
    assert "must be greater than 0" in await refused(
        server, "POST", path, lease | {"spec": {"leaseDurationSeconds": 0}}
    )


def test_a_store_that_nothing_is_said_of_serves_nothing():
    assert KubernetesApi().store.collection("v1", "nodes") is None
    assert KubernetesApi(Store()).writer.admission is None


async def test_a_budget_that_nobody_counted_yet_lets_no_pod_go(server):
    await server.pod("gpu-1", metadata={"labels": {"app": "one"}})
    (pod,) = (await server.request("GET", PODS))["items"]
    spec = {"selector": {"matchLabels": {"app": "one"}}, "minAvailable": 1}
    await server.request("POST", BUDGETS, {"metadata": {"name": "b"}, "spec": spec})
    path = f"{PODS}/{pod['metadata']['name']}/eviction"
    assert "is still being processed" in await refused(server, "POST", path, {})
    expressions = {"selector": {"matchExpressions": []}}
    await server.request("POST", BUDGETS, {"metadata": {"name": "a"}, "spec": expressions})
    assert "does not know matchExpressions" in await refused(server, "POST", path, {})
