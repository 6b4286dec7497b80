"""Each fault between the cards and the scheduler, and what the chain says of it."""

from collections.abc import Callable
from typing import NamedTuple

from tests.journeys.links.breaking import (
    CONFIG,
    MIG_STATE,
    NFD,
    NO_RUNTIME,
    PRODUCT,
    SWITCH,
    UPGRADE,
    card_gone,
    enforced,
    forbidden,
    invalid_layout,
    left_over,
    no_runtime,
    not_installed,
    not_selected,
    paused,
    plugin_gone,
    runtime_class_gone,
    tainted,
)
from tests.journeys.links.machine import DRIVER, ENFORCE, GPU, MACHINE, OPERATOR, PLUGIN, TOOLKIT, Site

LABEL = f"nodes/{MACHINE} metadata.labels"
AMOUNT = f"nodes/{MACHINE} status.allocatable[{GPU}]"
LEVEL = f"namespaces/{OPERATOR} metadata.labels[{ENFORCE}]"
VERSION = "nvidia.com/cuda.driver-version.full"


class Fault(NamedTuple):
    """What is broken, and what the chain says of it."""

    breaks: Callable[[Site], object]
    link: str
    outcome: str
    finding: str
    """A part of it."""
    evidence: tuple[str, str | None]
    action: str


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
    "the driver is older than the device plugin needs": Fault(
        lambda site: site.label(VERSION, "384.66.10"),
        "DRIVER",
        "FAIL",
        "or newer",
        (f"{LABEL}[{VERSION}]", "384.66.10"),
        "REPAIR_NODE",
    ),
    "the machine reboots for its layout": Fault(
        lambda site: site.label(MIG_STATE, "rebooting"),
        "MIG_STATE",
        "FAIL",
        "is being applied on gpu-01",
        (f"{LABEL}[{MIG_STATE}]", "rebooting"),
        "WAIT",
    ),
    "the machine is not ready": Fault(
        lambda site: site.node["status"].update(conditions=[{"type": "Ready", "status": "False"}]),
        "KUBELET",
        "FAIL",
        "not Ready",
        (f"nodes/{MACHINE} status.conditions[Ready]", "False"),
        "REPAIR_NODE",
    ),
}
