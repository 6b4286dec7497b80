"""Each fault between the cards and the scheduler, told by an API server, and where the chain breaks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.store import Store
from gateway.simulator.world import World
from tests.asking import Gateway
from tests.journeys.fleets import Still, read_world

OPERATED = Path(__file__).parent / "operated" / "kubernetes" / "fleet.yaml"
QUERY = """{ node(cluster: "fleet", name: "gpu-01") {
  gpuChain { check outcome finding evidence { system path value } remedies { action text subject { id } } }
} }"""
GPU, MACHINE, OPERATOR = "nvidia.com/gpu", "gpu-01", "gpu-operator"
PLUGIN, DISCOVERY = "nvidia-device-plugin-daemonset", "gpu-feature-discovery"
DRIVER, TOOLKIT = "nvidia-driver-daemonset", "nvidia-container-toolkit-daemonset"
DAEMON_SETS = (DRIVER, TOOLKIT, PLUGIN, DISCOVERY)
LABEL = f"nodes/{MACHINE} metadata.labels"
ENFORCE = "pod-security.kubernetes.io/enforce"
Json = Any


class Site:
    """The objects of the cluster, to be changed before they are served."""

    def __init__(self) -> None:
        self.objects = list(yaml.safe_load_all(OPERATED.read_text(encoding="utf-8")))
        self.objects += [_pod(name, MACHINE) for name in DAEMON_SETS]

    def named(self, kind: str, name: str) -> Json:
        """One object."""
        return next(it for it in self.objects if (it["kind"], it["metadata"]["name"]) == (kind, name))

    @property
    def node(self) -> Json:
        """The machine."""
        return self.named("Node", MACHINE)

    def label(self, key: str, value: str | None) -> None:
        """Write a label of the machine, or take it away."""
        labels = self.node["metadata"]["labels"]
        labels.pop(key, None)
        if value is not None:
            labels[key] = value

    def drop(self, kind: str, name: str) -> None:
        """Take an object away."""
        self.objects.remove(self.named(kind, name))

    def lose(self, daemon_set: str) -> None:
        """Take the pod of a DaemonSet from the machine."""
        self.drop("Pod", f"{daemon_set}-{MACHINE}")

    def give(self, capacity: Json, allocatable: Json = None) -> None:
        """What the kubelet says of resources."""
        self.node["status"] |= {
            "capacity": capacity,
            "allocatable": capacity if allocatable is None else allocatable,
        }

    def wait(self, daemon_set: str, reason: str, restarts: int = 0) -> None:
        """Have the container of its pod wait, and no card be given."""
        status = self.named("Pod", f"{daemon_set}-{MACHINE}")["status"]
        state = {"waiting": {"reason": reason}}
        status["containerStatuses"] = [
            {"name": "main", "ready": False, "restartCount": restarts, "state": state}
        ]
        self.give({GPU: "8"}, {GPU: "0"})


def _pod(daemon_set: str, node: str) -> Json:
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": daemon_set, "uid": "1", "controller": True}
    running = {"name": "main", "ready": True, "restartCount": 0, "state": {"running": {}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{daemon_set}-{node}",
            "namespace": OPERATOR,
            "ownerReferences": [owner],
        },
        "spec": {"nodeName": node, "containers": [{"name": "main"}]},
        "status": {"phase": "Running", "containerStatuses": [running]},
    }


class Fault(NamedTuple):
    """What is broken, and what the chain says of it."""

    breaks: Callable[[Site], object]
    link: str
    outcome: str
    finding: str
    """A part of it."""
    evidence: tuple[str, str | None]
    action: str


def card_gone(site):
    site.label(f"{NFD}pci-10de.present", None)
    site.label(f"{NFD}cpu-model.vendor_id", "Intel")
    site.label("nvidia.com/gpu.present", None)
    site.give({})


def runtime_class_gone(site):
    site.drop("RuntimeClass", "nvidia")
    site.lose(PLUGIN)
    site.give({GPU: "8"}, {GPU: "0"})


def no_runtime(site):
    site.wait(PLUGIN, "ContainerCreating")
    about = {"kind": "Pod", "namespace": OPERATOR, "name": f"{PLUGIN}-{MACHINE}", "uid": "1"}
    site.objects.append(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": "no-runtime", "namespace": OPERATOR},
            "involvedObject": about,
            "reason": "FailedCreatePodSandBox",
            "message": NO_RUNTIME,
            "lastTimestamp": "2026-11-29T12:00:00Z",
        }
    )


def tainted(site):
    plugin_gone(site)
    site.node["spec"] = {"taints": [{"key": "team", "value": "a", "effect": "NoSchedule"}]}


def paused(site):
    site.lose(PLUGIN)
    site.label(SWITCH, "paused-for-mig-change")
    site.label(MIG_STATE, "pending")
    site.give({GPU: "0"})


def plugin_gone(site):
    site.lose(PLUGIN)
    site.give({GPU: "8"}, {GPU: "0"})


def not_selected(site):
    plugin_gone(site)
    site.label(SWITCH, None)


def forbidden(site):
    plugin_gone(site)
    enforced(site, "restricted")


def not_installed(site):
    plugin_gone(site)
    site.drop("DaemonSet", PLUGIN)


def enforced(site, level="baseline"):
    site.named("Namespace", OPERATOR)["metadata"]["labels"][ENFORCE] = level


def left_over(site):
    site.lose(DISCOVERY)
    site.objects.append(_pod(DISCOVERY, "gpu-02"))


def invalid_layout(site):
    site.label(PRODUCT, "NVIDIA-A30-MIG-INVALID")
    site.label("nvidia.com/gpu.count", "0")
    site.label("nvidia.com/mig.strategy", "single")
    site.give({GPU: "0"})


NO_RUNTIME = 'failed to get sandbox runtime: no runtime for "nvidia" is configured'
NFD = "feature.node.kubernetes.io/"
SWITCH, MIG_STATE = "nvidia.com/gpu.deploy.device-plugin", "nvidia.com/mig.config.state"
UPGRADE, PRODUCT = "nvidia.com/gpu-driver-upgrade-state", "nvidia.com/gpu.product"
CONFIG = "nvidia.com/device-plugin.config"
AMOUNT = f"nodes/{MACHINE} status.allocatable[{GPU}]"
LEVEL = f"namespaces/{OPERATOR} metadata.labels[{ENFORCE}]"


def waiting(daemon_set):
    return f"pods/{OPERATOR}/{daemon_set}-{MACHINE} status.containerStatuses[main].state.waiting.reason"


FAULTS = {
    "the card is gone from the bus": Fault(
        card_gone,
        "HARDWARE",
        "FAIL",
        "sees no card",
        (f"{LABEL}[{NFD}pci-10de.present]", None),
        "REPAIR_NODE",
    ),
    "the driver crashes": Fault(
        lambda site: site.wait(DRIVER, "CrashLoopBackOff", 4),
        "DRIVER",
        "FAIL",
        "was restarted 4 times",
        (waiting(DRIVER), "CrashLoopBackOff"),
        "REPAIR_NODE",
    ),
    "the driver is upgraded": Fault(
        lambda site: site.label(UPGRADE, "pod-restart-required"),
        "DRIVER",
        "FAIL",
        "is being upgraded: pod-restart-required",
        (f"{LABEL}[{UPGRADE}]", "pod-restart-required"),
        "WAIT",
    ),
    "the upgrade of the driver failed": Fault(
        lambda site: site.label(UPGRADE, "upgrade-failed"),
        "DRIVER",
        "FAIL",
        "failed",
        (f"{LABEL}[{UPGRADE}]", "upgrade-failed"),
        "REPAIR_NODE",
    ),
    "the runtime class is gone": Fault(
        runtime_class_gone,
        "RUNTIME",
        "FAIL",
        "the cluster has none",
        ("runtimeclasses/nvidia", None),
        "REPAIR_NODE",
    ),
    "the container toolkit crashes": Fault(
        lambda site: site.wait(TOOLKIT, "CrashLoopBackOff", 2),
        "RUNTIME",
        "FAIL",
        "container toolkit",
        (waiting(TOOLKIT), "CrashLoopBackOff"),
        "REPAIR_NODE",
    ),
    "the container runtime does not know its own class": Fault(
        no_runtime,
        "RUNTIME",
        "FAIL",
        NO_RUNTIME,
        (f"events[Pod/{OPERATOR}/{PLUGIN}-{MACHINE} FailedCreatePodSandBox].message", NO_RUNTIME),
        "REPAIR_NODE",
    ),
    "a taint keeps the device plugin away": Fault(
        tainted,
        "DEVICE_PLUGIN",
        "FAIL",
        "does not tolerate the taint team",
        (f"nodes/{MACHINE} spec.taints[team].effect", "NoSchedule"),
        "REPAIR_NODE",
    ),
    "the device plugin crashes": Fault(
        lambda site: site.wait(PLUGIN, "CrashLoopBackOff", 9),
        "DEVICE_PLUGIN",
        "FAIL",
        "was restarted 9 times",
        (waiting(PLUGIN), "CrashLoopBackOff"),
        "REPAIR_NODE",
    ),
    "the device plugin has no image": Fault(
        lambda site: site.wait(PLUGIN, "ImagePullBackOff"),
        "DEVICE_PLUGIN",
        "FAIL",
        "has no image",
        (waiting(PLUGIN), "ImagePullBackOff"),
        "REPAIR_NODE",
    ),
    "the device plugin is paused": Fault(
        paused, "DEVICE_PLUGIN", "FAIL", "is paused", (f"{LABEL}[{MIG_STATE}]", "pending"), "WAIT"
    ),
    "the device plugin is gone": Fault(
        plugin_gone, "DEVICE_PLUGIN", "FAIL", "wants one there", (AMOUNT, "0"), "REPAIR_NODE"
    ),
    "the device plugin is not installed": Fault(
        not_installed, "DEVICE_PLUGIN", "FAIL", "the cluster has no DaemonSet", (AMOUNT, "0"), "REPAIR_NODE"
    ),
    "the machine is not labelled for the device plugin": Fault(
        not_selected, "DEVICE_PLUGIN", "FAIL", f"{SWITCH}=true", (f"{LABEL}[{SWITCH}]", None), "REPAIR_NODE"
    ),
    "the device plugin may not be made": Fault(
        forbidden, "DEVICE_PLUGIN", "FAIL", "enforces restricted", (LEVEL, "restricted"), "REPAIR_NODE"
    ),
    "the resource is absent": Fault(
        lambda site: site.give({}), "KUBELET", "FAIL", "has no resource", (AMOUNT, None), "REPAIR_NODE"
    ),
    "the resource is 0": Fault(
        lambda site: site.give({GPU: "0"}), "KUBELET", "FAIL", "served it once", (AMOUNT, "0"), "REPAIR_NODE"
    ),
    "one card is unhealthy": Fault(
        lambda site: site.give({GPU: "8"}, {GPU: "7"}),
        "KUBELET",
        "FAIL",
        f"only 7 of 8 {GPU}",
        (AMOUNT, "7"),
        "REPAIR_NODE",
    ),
    "the strategy does not allow the layout": Fault(
        invalid_layout,
        "DEVICE_PLUGIN",
        "FAIL",
        "does not allow its MIG layout",
        (f"{LABEL}[{PRODUCT}]", "NVIDIA-A30-MIG-INVALID"),
        "CHANGE_MIG_LAYOUT",
    ),
    "labels are missing": Fault(
        lambda site: site.label(PRODUCT, None),
        "LABELS",
        "WARN",
        "has no labels",
        (f"{LABEL}[{PRODUCT}]", None),
        "REPAIR_NODE",
    ),
    "labels are left over": Fault(
        left_over,
        "LABELS",
        "WARN",
        "may be old",
        (f"{LABEL}[{PRODUCT}]", "NVIDIA-H100-80GB-HBM3"),
        "REPAIR_NODE",
    ),
    "labels contradict the capacity": Fault(
        lambda site: site.label("nvidia.com/gpu.count", "4"),
        "LABELS",
        "WARN",
        "do not agree",
        (f"{LABEL}[nvidia.com/gpu.count]", "4"),
        "REPAIR_NODE",
    ),
    "a label by hand contradicts the others": Fault(
        lambda site: site.label("accelerator", "A100-80GB"),
        "LABELS",
        "WARN",
        "says A100-80GB",
        (f"{LABEL}[accelerator]", "A100-80GB"),
        "REPAIR_NODE",
    ),
    "the layout failed": Fault(
        lambda site: site.label(MIG_STATE, "failed"),
        "MIG_STATE",
        "FAIL",
        "failed on gpu-01",
        (f"{LABEL}[{MIG_STATE}]", "failed"),
        "CHANGE_MIG_LAYOUT",
    ),
    "the named configuration is not there": Fault(
        lambda site: site.label(CONFIG, "eight"),
        "SHARING_CONFIG",
        "FAIL",
        "has no configuration eight",
        (f"configmaps/{OPERATOR}/time-slicing-config data", "four, whole"),
        "REPAIR_NODE",
    ),
    "the device plugin could not be made again": Fault(
        enforced, "POD_SECURITY", "FAIL", "enforces baseline", (LEVEL, "baseline"), "REPAIR_NODE"
    ),
}


async def chain(site):
    world = World(clusters={"fleet": KubernetesApi(Store(site.objects))}, slurms={})
    return Gateway(Still(await read_world(world))).data(QUERY)["node"]["gpuChain"]


async def test_a_healthy_machine_passes_every_link():
    found = await chain(Site())

    assert [(step["check"], step["outcome"]) for step in found] == [
        (link, "PASS")
        for link in (
            "HARDWARE",
            "DRIVER",
            "RUNTIME",
            "DEVICE_PLUGIN",
            "KUBELET",
            "LABELS",
            "MIG_STATE",
            "SHARING_CONFIG",
            "POD_SECURITY",
        )
    ]


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
async def test_a_fault_is_found_at_its_link_and_shown(fault):
    site = Site()
    fault.breaks(site)

    found = await chain(site)

    (wrong,) = [step for step in found if step["outcome"] in {"FAIL", "WARN"}]
    assert (wrong["check"], wrong["outcome"]) == (fault.link, fault.outcome), wrong["finding"]
    assert (found[-1] is wrong) is (fault.outcome == "FAIL")
    assert fault.finding in wrong["finding"]
    assert ". See: kubectl " in wrong["finding"]
    assert {"system": "KUBERNETES", "path": fault.evidence[0], "value": fault.evidence[1]} in wrong[
        "evidence"
    ]
    assert [remedy["action"] for remedy in wrong["remedies"]] == [fault.action]
    assert wrong["remedies"][0]["subject"] is not None
