"""What is advised for a pod that waits is done, change after change, and a real kube-scheduler answers."""

import copy
from typing import NamedTuple

import msgspec
import pytest

from gateway.fleet.diagnosis.pod.diagnose import diagnose
from gateway.fleet.reasons.message import read_message
from gateway.sources.kubernetes.nodes import read_node
from gateway.sources.kubernetes.pods import read_pod
from tests.builders import CLUSTER
from tests.fleets import a_keeper
from tests.gpu_labels import GPU, mixed
from tests.played.generator import Generated
from tests.played.player import play, running_scheduler
from tests.servers.control_plane import running_control_plane

SLICE = "nvidia.com/mig-3g.40gb"
DEDICATED = {"key": "dedicated", "value": "training", "effect": "NoSchedule"}


class Scene(NamedTuple):
    """One machine of eight whole H100, what runs on it, and a pod that asks."""

    node: dict
    running: list
    ask: dict


def scene(*, asks, held=0, cordoned=False, taints=(), **spec):
    has = {"cpu": "64", "memory": "512Gi", "pods": "20", GPU: "8"}
    node = {
        "metadata": {"name": "n0", "labels": dict(mixed(8))},
        "spec": {"unschedulable": cordoned, "taints": list(taints)},
        "status": {"allocatable": has, "capacity": has},
    }
    running = [pod("train", {GPU: str(held)}, nodeName="n0")] if held else []
    return Scene(node, running, pod("ask", asks, **spec))


def pod(name, asks, **spec):
    container = {"name": "main", "image": "main", "resources": {"requests": asks, "limits": asks}}
    return {
        "metadata": {"name": name, "namespace": "a"},
        "spec": {"containers": [container], "terminationGracePeriodSeconds": 0, **spec},
    }


def uncordon(there):
    there.node["spec"]["unschedulable"] = False


def tolerate(there):
    there.ask["spec"]["tolerations"] = [{**DEDICATED, "operator": "Equal"}]


def require_less(there):
    del there.ask["spec"]["nodeSelector"]


def free(there):
    there.running.clear()


def ask_for_eight(there):
    resources = there.ask["spec"]["containers"][0]["resources"]
    resources["requests"] = resources["limits"] = {GPU: "8"}


def spell(there):
    resources = there.ask["spec"]["containers"][0]["resources"]
    resources["requests"] = resources["limits"] = {GPU: "1"}


def cut_one_card(there):
    for part in ("allocatable", "capacity"):
        there.node["status"][part] |= {GPU: "7", SLICE: "2"}


CASES = {
    "a cordon": (scene(asks={GPU: "1"}, cordoned=True), [uncordon]),
    "a taint": (scene(asks={GPU: "1"}, taints=[DEDICATED]), [tolerate]),
    "a selector": (scene(asks={GPU: "1"}, nodeSelector={"disk": "ssd"}), [require_less]),
    "cards that are held": (scene(asks={GPU: "4"}, held=6), [free]),
    "more than a machine has": (scene(asks={GPU: "16"}), [ask_for_eight]),
    "a misspelling": (scene(asks={"nvidia/gpu": "1"}), [spell]),
    "slices that nobody cut": (scene(asks={SLICE: "2"}, held=7), [cut_one_card]),
    "four reasons, each hidden by the one before": (
        scene(asks={GPU: "4"}, held=6, cordoned=True, taints=[DEDICATED], nodeSelector={"disk": "ssd"}),
        [uncordon, tolerate, require_less, free],
    ),
}


@pytest.fixture
async def scheduled(cluster_programs, tmp_path):
    async with (
        running_control_plane(cluster_programs, tmp_path) as api,
        running_scheduler(cluster_programs, tmp_path, api),
    ):
        yield api


async def test_after_the_advised_changes_the_pod_is_placed_and_before_the_last_it_is_not(scheduled):
    for name, (start, changes) in CASES.items():
        there = copy.deepcopy(start)
        heard = await play(scheduled, Generated([there.node], there.running, [there.ask]))
        remedies = advised(heard)
        assert len(remedies) == len(changes), name

        for remedy, change in zip(remedies, changes, strict=True):
            change(there)
            heard = await play(scheduled, Generated([there.node], there.running, [there.ask]))
            assert remedy.text.endswith(said(heard)), name

        assert heard["asks"][0]["boundTo"] == "n0", name


def advised(heard):
    """What the gateway advises by what the API server holds."""
    nodes = [read_node(CLUSTER, _raw(one), []) for one in heard["nodes"]]
    running = [read_pod(CLUSTER, _raw(one), []) for one in heard["pods"]]
    asking = read_pod(CLUSTER, _raw(heard["asks"][0]["pod"]), [])
    return diagnose(asking, a_keeper(nodes, [*running, asking]).pin()).remedies


def said(heard):
    """How a remedy ends after which kube-scheduler says this."""
    (ask,) = heard["asks"]
    if ask["boundTo"]:
        return "then it fits on n0"
    (part,) = read_message(ask["message"]).parts
    return f"not enough by itself, for n0 then says: {part.text}"


def _raw(body):
    return msgspec.Raw(msgspec.json.encode(body))
