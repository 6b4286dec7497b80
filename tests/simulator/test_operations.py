import random
from datetime import UTC, datetime

import pytest

from gateway.fleet.layout_text import layout_text, layouts_document
from gateway.fleet.live import MIG_CONFIG, MIG_STATE
from gateway.simulator.ending import evict
from gateway.simulator.kinds import NODES, PODS, Resource
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.operator.simulated import SimulatedCluster
from gateway.simulator.scenario.inventory import MACHINES
from gateway.simulator.scenario.operations import Operations
from gateway.simulator.scenario.site import Site
from gateway.simulator.writing import By, Place

CONFIG_MAPS = Resource(api_version="v1", kind="ConfigMap")
NOW = datetime(2026, 11, 29, 19, 10, tzinfo=UTC)


class Fleet:
    """The demo's cluster, and the changes that a person or the gateway makes there."""

    def __init__(self):
        self.site = Site(lambda: NOW, random.Random(1))  # noqa: S311  (the same in every run, no secret)
        self.writer = KubernetesApi(self.site.store, clock=lambda: NOW).writer
        self._operations = Operations(self.site, SimulatedCluster(self.writer), lambda: NOW)

    async def steps(self, count):
        for _ in range(count):
            await self._operations.step()

    def node(self, name):
        return self.site.stored(NODES, f"/{name}")

    def offers(self, name):
        offered = self.node(name)["status"]["allocatable"]
        return {it: n for it, n in offered.items() if it.startswith("nvidia.com/") and n != "0"}

    def patch(self, name, patch):
        place = Place(collection=self.site.store.serve(NODES), namespace="", name=name)
        self.writer.merge(place, patch, By(manager="kubectl"))

    def label(self, name, config):
        self.patch(name, {"metadata": {"labels": {MIG_CONFIG: config, MIG_STATE: None}}})

    def work_on(self, name):
        return {key: pod for key, pod in self.site.pods.items() if pod.node == name}

    def drain(self, name):
        for key in self.work_on(name):
            namespace, _, pod = key.partition("/")
            place = Place(collection=self.site.store.serve(PODS), namespace=namespace, name=pod)
            evict(self.writer, place, {"metadata": {"name": pod}})

    def everything(self):
        return {stored.key: stored.body for plural in (NODES, PODS) for stored in self.kept(plural)}

    def kept(self, resource):
        return self.site.store.serve(resource).snapshot()


@pytest.fixture
def fleet():
    return Fleet()


async def test_while_nobody_asks_for_anything_nothing_changes(fleet):
    before = fleet.everything()
    await fleet.steps(5)
    assert fleet.everything() == before


async def test_a_drained_machine_is_cut_anew_and_its_labels_tell_of_it(fleet):
    fleet.patch("gpu-a100-03", {"spec": {"unschedulable": True}})
    fleet.drain("gpu-a100-03")
    await fleet.steps(3)
    assert fleet.work_on("gpu-a100-03") == {}
    fleet.label("gpu-a100-03", "all-3g.40gb")
    await fleet.steps(8)
    labels = fleet.node("gpu-a100-03")["metadata"]["labels"]
    assert labels[MIG_STATE] == "success"
    assert fleet.offers("gpu-a100-03") == {"nvidia.com/mig-3g.40gb": "16"}
    assert labels["nvidia.com/mig-3g.40gb.count"] == "16"
    assert "nvidia.com/mig-1g.10gb.count" not in labels


async def test_work_that_nobody_took_away_makes_the_change_fail(fleet):
    before = fleet.offers("gpu-a100-03")
    fleet.label("gpu-a100-03", "all-3g.40gb")
    await fleet.steps(8)
    assert fleet.node("gpu-a100-03")["metadata"]["labels"][MIG_STATE] == "failed"
    assert fleet.offers("gpu-a100-03") == before


async def test_under_the_single_strategy_slices_are_counted_as_gpus(fleet):
    fleet.patch("gpu-a100-07", {"spec": {"unschedulable": True}})
    fleet.drain("gpu-a100-07")
    await fleet.steps(3)
    fleet.label("gpu-a100-07", "all-2g.20gb")
    await fleet.steps(8)
    assert fleet.offers("gpu-a100-07") == {"nvidia.com/gpu": "24"}
    assert fleet.node("gpu-a100-07")["metadata"]["labels"]["nvidia.com/gpu.product"].endswith("MIG-2g.20gb")


async def test_the_change_that_hangs_goes_on_hanging(fleet):
    await fleet.steps(5)
    assert fleet.node("gpu-a100-04")["metadata"]["labels"][MIG_STATE] == "pending"
    assert fleet.offers("gpu-a100-04") == {}


async def test_evicted_work_goes_to_another_of_its_machines_or_waits_and_comes_back(fleet):
    held = {key: fleet.site.stored(PODS, key)["metadata"]["uid"] for key in fleet.work_on("gpu-a100-03")}
    assert held
    fleet.patch("gpu-a100-03", {"spec": {"unschedulable": True}})
    fleet.drain("gpu-a100-03")
    await fleet.steps(3)
    for key, uid in held.items():
        again = fleet.site.stored(PODS, key)
        assert again["metadata"]["uid"] != uid
        assert again["status"]["phase"] == "Pending"
    fleet.patch("gpu-a100-03", {"spec": {"unschedulable": None}})
    await fleet.steps(1)
    assert fleet.work_on("gpu-a100-03").keys() == held.keys()


async def test_a_cordon_is_a_taint_for_as_long_as_it_holds(fleet):
    fleet.patch("gpu-a100-01", {"spec": {"unschedulable": True}})
    await fleet.steps(1)
    (taint,) = fleet.node("gpu-a100-01")["spec"]["taints"]
    assert taint["key"] == "node.kubernetes.io/unschedulable"
    fleet.patch("gpu-a100-01", {"spec": {"unschedulable": None}})
    await fleet.steps(1)
    assert "taints" not in fleet.node("gpu-a100-01")["spec"]


async def test_a_mig_manager_runs_where_cards_are_cut(fleet):
    apps = {
        stored.body["spec"]["nodeName"]
        for stored in fleet.kept(PODS)
        if stored.body["metadata"].get("labels", {}).get("app") == "nvidia-mig-manager"
    }
    assert apps == {machine.name for machine in MACHINES if machine.mig}


async def test_a_pod_that_somebody_deleted_costs_nobody_anything(fleet):
    key, pod = next((key, pod) for key, pod in fleet.site.pods.items() if pod.node == "gpu-h100-01")
    fleet.site.store.delete(PODS, pod.name, pod.work.namespace)
    fleet.site.stop(key)
    await fleet.steps(1)
    assert key not in fleet.site.pods


async def test_a_manager_whose_configurations_are_gone_fails_every_change(fleet):
    fleet.site.store.delete(CONFIG_MAPS, "gpu-gateway-mig-config", "gpu-operator")
    fleet.label("gpu-a100-03", "all-3g.40gb")
    await fleet.steps(2)
    assert fleet.node("gpu-a100-03")["metadata"]["labels"][MIG_STATE] == "failed"


async def test_a_layout_that_the_gateway_added_is_applied(fleet):
    place = Place(
        collection=fleet.site.store.serve(CONFIG_MAPS),
        namespace="gpu-operator",
        name="gpu-gateway-mig-config",
    )
    rules = layout_text([{"1g.10gb": 2, "2g.20gb": 1}] + [{}] * 7)
    added = layouts_document({"gw-1": rules}).partition("mig-configs:\n")[2]
    text = place.found()["data"]["config.yaml"] + added
    fleet.writer.merge(place, {"data": {"config.yaml": text}}, By(manager="gpu-gateway"))
    fleet.drain("gpu-a100-05")
    fleet.patch("gpu-a100-05", {"spec": {"unschedulable": True}})
    await fleet.steps(3)
    fleet.label("gpu-a100-05", "gw-1")
    await fleet.steps(8)
    assert fleet.offers("gpu-a100-05") == {
        "nvidia.com/gpu": "7",
        "nvidia.com/mig-1g.10gb": "2",
        "nvidia.com/mig-2g.20gb": "1",
    }


async def test_a_machine_that_is_taken_out_costs_nobody_else_anything(fleet):
    fleet.site.store.delete(NODES, "gpu-a100-03")
    fleet.drain("gpu-a100-03")
    await fleet.steps(3)
    assert fleet.work_on("gpu-a100-03") == {}
