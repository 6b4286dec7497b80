"""A namespace that does not let the device plugin be made: the chain says what a real API server does."""

import asyncio

import pytest

from gateway.fleet.diagnosis.chain.chain import gpu_chain
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from gateway.fleet.keeper import FleetKeeper
from gateway.sources.kubernetes.access import ClusterAccess, Kubeconfig
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.source import KubernetesSource
from gateway.sources.kubernetes.upkeep import Upkeep
from tests.gpu_operator import ENFORCE, ON_THE_BUS, PLUGIN, evidence_of
from tests.servers.control_plane import MERGE_PATCH

NODE, NAMESPACE = "guarded-01", "guarded"
DAEMON_SETS = f"/apis/apps/v1/namespaces/{NAMESPACE}/daemonsets"
LABELS = {ON_THE_BUS: "true", "nvidia.com/gpu.count": "8", "guarded": "yes"}


@pytest.fixture
async def guarded(cluster):
    """A machine whose device plugin is privileged, in a namespace that enforces the level baseline."""
    enforced = {"metadata": {"name": NAMESPACE, "labels": {ENFORCE: "baseline"}}}
    await cluster.create("/api/v1/namespaces", enforced)
    await cluster.create("/api/v1/nodes", {"metadata": {"name": NODE, "labels": LABELS}})
    await cluster.create(DAEMON_SETS, a_plugin())
    yield cluster
    await cluster.request("DELETE", f"{DAEMON_SETS}/{PLUGIN}")
    await cluster.request("DELETE", f"/api/v1/nodes/{NODE}")
    await cluster.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}")


def a_plugin():
    labels = {"app": PLUGIN}
    container = {"name": "main", "image": "plugin:1", "securityContext": {"privileged": True}}
    spec = {"nodeSelector": {"guarded": "yes"}, "containers": [container]}
    template = {"metadata": {"labels": labels}, "spec": spec}
    return {"metadata": {"name": PLUGIN}, "spec": {"selector": {"matchLabels": labels}, "template": template}}


async def test_a_plugin_that_may_not_be_made_is_said_to_be_so_until_it_may(guarded):
    keeper = FleetKeeper(["fleet"], {})
    api = Api(ClusterAccess(name="fleet", way=Kubeconfig(path=guarded.kubeconfig)))
    task = asyncio.create_task(KubernetesSource(Upkeep(api=api, feed=keeper)).run())
    try:
        refused = await until(keeper, lambda step, fleet: "enforces baseline" in step.finding and said(fleet))
        assert evidence_of(refused)[f"namespaces/{NAMESPACE} metadata.labels[{ENFORCE}]"] == "baseline"

        patch = {"metadata": {"labels": {ENFORCE: "privileged"}}}
        await guarded.request("PATCH", f"/api/v1/namespaces/{NAMESPACE}", patch, MERGE_PATCH)
        next_one = await until(keeper, lambda step, _: step.check is DiagnosisCheck.KUBELET)
        assert f"{NODE} has no resource nvidia.com/gpu" in next_one.finding
    finally:
        task.cancel()
        await asyncio.wait([task])
        await api.close()


def said(fleet):
    """Whether the DaemonSet controller was refused by the server itself."""
    return any("violates PodSecurity" in event.message for event in fleet.events("fleet"))


async def until(keeper, holds):
    """The last step of the machine's chain, once this holds."""
    async with asyncio.timeout(30):
        while True:
            fleet = keeper.pin()
            node = fleet.node("fleet", NODE)
            chain = gpu_chain(node, fleet) if node else None
            if chain and holds(chain[-1], fleet):
                return chain[-1]
            await asyncio.sleep(0.1)
