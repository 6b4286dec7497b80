"""The objects of a cluster whose one machine gives its GPUs, to be changed before they are served."""

from pathlib import Path
from typing import Any

import yaml

OPERATED = Path(__file__).parents[1] / "operated" / "kubernetes" / "fleet.yaml"
GPU, MACHINE, OPERATOR = "nvidia.com/gpu", "gpu-01", "gpu-operator"
PLUGIN, DISCOVERY = "nvidia-device-plugin-daemonset", "gpu-feature-discovery"
DRIVER, TOOLKIT = "nvidia-driver-daemonset", "nvidia-container-toolkit-daemonset"
DAEMON_SETS = (DRIVER, TOOLKIT, PLUGIN, DISCOVERY)
ENFORCE = "pod-security.kubernetes.io/enforce"
Json = Any


class Site:
    """The objects of the cluster, to be changed before they are served."""

    def __init__(self) -> None:
        self.objects = list(yaml.safe_load_all(OPERATED.read_text(encoding="utf-8")))
        self.objects += [pod_of(name, MACHINE) for name in DAEMON_SETS]

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


def pod_of(daemon_set: str, node: str) -> Json:
    """A pod of a DaemonSet that runs on a node."""
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
