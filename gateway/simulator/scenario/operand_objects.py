"""What makes the demo's GPUs usable: the operator's DaemonSets, its runtime class, and the namespaces."""

from collections.abc import Iterator

from gateway.simulator.operator.port import DEPLOY
from gateway.simulator.scenario.mig_layouts import NAMESPACE
from gateway.simulator.scenario.node_objects import uid
from gateway.simulator.scenario.work import WORK
from gateway.simulator.store import Json

_RUNTIME_CLASS = "nvidia"
_DAEMON_SETS = {
    "nvidia-device-plugin-daemonset": "device-plugin",
    "gpu-feature-discovery": "gpu-feature-discovery",
    "nvidia-dcgm-exporter": "dcgm-exporter",
}
"""By name, and what switches each on for a node; the MIG manager's stands with its layouts."""
_LEVEL = {"pod-security.kubernetes.io/enforce": "privileged"}


def operand_objects() -> Iterator[Json]:
    """The DaemonSets, the runtime class that they ask for, and every namespace."""
    for name, switch in _DAEMON_SETS.items():
        yield _daemon_set(name, switch)
    yield {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": _RUNTIME_CLASS, "uid": uid("runtimeclass", _RUNTIME_CLASS)},
        "handler": _RUNTIME_CLASS,
    }
    for name in sorted(
        {NAMESPACE, "kube-system", "monitoring", "volcano-system", *(it.namespace for it in WORK)}
    ):
        yield _namespace(name, _LEVEL if name == NAMESPACE else {})


def _daemon_set(name: str, switch: str) -> Json:
    labels = {"app": name}
    spec = {
        "nodeSelector": {f"{DEPLOY}{switch}": "true"},
        "runtimeClassName": _RUNTIME_CLASS,
        "containers": [{"name": "main", "image": f"{name}:1", "securityContext": {"privileged": True}}],
        "volumes": [{"name": "host", "hostPath": {"path": "/"}}],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": NAMESPACE, "uid": uid("owner", name), "labels": labels},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


def _namespace(name: str, labels: dict[str, str]) -> Json:
    named = {"kubernetes.io/metadata.name": name}
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "uid": uid("namespace", name), "labels": named | labels},
    }
