"""deploy/ on a real cluster: every object is accepted there, and what it deploys runs."""

import pytest

from tests.live.installation import NAMESPACE, containers_of, kubectl, objects, rendered
from tests.servers.control_plane import Refusal

DEPLOYMENTS = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"


async def test_the_api_server_accepts_every_object_and_warns_of_none(deployed):
    flags = ("--server-side", "--force-conflicts", "--field-manager=tests", "--dry-run=server")
    answer = await kubectl(deployed, "apply", "--filename=-", *flags, text=await rendered())
    assert len(answer.splitlines()) == len(await objects())


async def test_nothing_in_it_is_changed_by_the_api_server_or_its_controllers(deployed):
    assert await kubectl(deployed, "diff", "--filename=-", text=await rendered()) == ""


@pytest.mark.parametrize("name", ["gateway", "controllers"])
async def test_its_pods_run_where_pods_are_restricted(deployed, name):
    found = await deployed.until(f"{DEPLOYMENTS}/{name}", is_available)
    assert found["status"]["readyReplicas"] == 2
    pods = await deployed.request("GET", f"/api/v1/namespaces/{NAMESPACE}/pods?labelSelector={label(name)}")
    assert {pod["spec"]["serviceAccountName"] for pod in pods["items"]} == {name}


async def test_its_namespace_takes_no_pod_that_may_more(deployed):
    pod = {"metadata": {"name": "root"}, "spec": {"containers": [{"name": "main", "image": "shell"}]}}
    with pytest.raises(Refusal, match="violates PodSecurity"):
        await deployed.create(f"/api/v1/namespaces/{NAMESPACE}/pods", pod)


async def test_the_tables_are_brought_up_to_date_by_a_job_without_an_account(deployed):
    job = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs/gpu-gateway-migrate"
    await deployed.until(job, lambda job: job["status"].get("active") == 1)
    pods = f"/api/v1/namespaces/{NAMESPACE}/pods?labelSelector={label('gpu-gateway-migrate')}"
    (pod,) = (await deployed.request("GET", pods))["items"]
    assert pod["spec"]["automountServiceAccountToken"] is False


async def test_every_container_may_write_nowhere_and_says_what_it_needs():
    containers = [one async for one in all_containers()]
    assert {one["name"] for one in containers} == {"controllers", "gateway", "migrate", "proxy"}
    for container in containers:
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}
        assert container["resources"]["limits"].keys() == {"memory"}


async def test_no_secret_is_told_to_a_container_but_by_a_file():
    variables = [one async for container in all_containers() for one in container.get("env", ())]
    assert all(one["name"].endswith(("_CONFIG", "_FILE")) for one in variables)
    assert "Secret" not in {one["kind"] for one in await objects()}


@pytest.mark.parametrize("name", ["gpu-gateway-nodes", "gpu-gateway-objects"])
async def test_the_api_server_finds_no_fault_in_a_policy(deployed, name):
    policy = await deployed.until(f"{POLICIES}/{name}", lambda one: "typeChecking" in one.get("status", {}))
    assert policy["status"]["typeChecking"] == {}


def label(name):
    return f"app.kubernetes.io/name={name}"


def is_available(deployment):
    conditions = deployment["status"].get("conditions", ())
    return any((one["type"], one["status"]) == ("Available", "True") for one in conditions)


async def all_containers():
    for one in await objects():
        for container in containers_of(one):
            yield container
