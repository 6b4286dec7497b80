"""Pods that hold no GPU: what the GPU operator, Volcano and Kubernetes itself run."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from gateway.simulator.scenario.hardware import Machine
from gateway.simulator.scenario.node_objects import stamp, uid
from gateway.simulator.store import Json

_PLUGIN = "nvidia-device-plugin-daemonset"
_ON_EACH = (("kube-system", "kube-proxy"), ("monitoring", "node-exporter"))
_ON_GPUS = (
    ("gpu-operator", _PLUGIN),
    ("gpu-operator", "gpu-feature-discovery"),
    ("gpu-operator", "nvidia-dcgm-exporter"),
)
_ON_CUT = (("gpu-operator", "nvidia-mig-manager"),)
_PAUSED = {_PLUGIN, "gpu-feature-discovery", "nvidia-dcgm-exporter"}
_CRASH = "could not start NVML: the driver and the library do not match"
VOLCANO = "v1.14.2"
"""The release that is installed."""


def operator_pods(machine: Machine, now: datetime) -> Iterator[Json]:
    """The pods of daemons on this machine, and on the first of the control plane those of Volcano."""
    on_gpus = _ON_GPUS if machine.model else ()
    for namespace, name in (*_ON_EACH, *on_gpus, *(_ON_CUT if machine.mig else ())):
        absent = machine.changing and name in _PAUSED
        if not absent:
            body = _pod(namespace, name, f"{name}:1", machine, now)
            yield _crashing(body) if machine.plugin_dead and name == _PLUGIN else body
    if machine.name == "control-01":
        for name in ("scheduler", "controller-manager"):
            yield _pod("volcano-system", f"volcano-{name}", f"volcanosh/vc-{name}:{VOLCANO}", machine, now)


def _pod(namespace: str, owner: str, image: str, machine: Machine, now: datetime) -> Json:
    name = f"{owner}-{machine.name}"
    started = stamp(now - timedelta(days=20))
    reference = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": owner}
    container = {
        "name": "main",
        "image": image,
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": uid("pod", namespace, name),
            "creationTimestamp": started,
            "labels": {"app": owner},
            "ownerReferences": [reference | {"uid": uid("owner", namespace, owner), "controller": True}],
        },
        "spec": {
            "containers": [container],
            "nodeName": machine.name,
            "schedulerName": "default-scheduler",
            "priority": 2_000_001_000,
            "priorityClassName": "system-node-critical",
            "tolerations": [{"operator": "Exists"}],
        },
        "status": {
            "phase": "Running",
            "startTime": started,
            "conditions": [
                {"type": kind, "status": "True" if machine.ready or kind != "Ready" else "False"}
                for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")
            ],
        },
    }


def _crashing(pod: Json) -> Json:
    """The pod as a kubelet leaves it between two crashes of its container."""
    ended = {"exitCode": 1, "reason": "Error", "message": _CRASH}
    container = {
        "name": "main",
        "image": pod["spec"]["containers"][0]["image"],
        "imageID": "",
        "ready": False,
        "restartCount": 412,
        "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed"}},
        "lastState": {"terminated": ended},
    }
    unready = {"type": "Ready", "status": "False", "reason": "ContainersNotReady"}
    conditions = [it for it in pod["status"]["conditions"] if not it["type"].endswith("Ready")]
    told = {"conditions": [*conditions, unready], "containerStatuses": [container]}
    return pod | {"status": pod["status"] | told}
