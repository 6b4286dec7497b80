"""Pods of about 3 KB as an API server shows them, with everything that the gateway does not need."""

from dataclasses import dataclass
from datetime import UTC, datetime

from gateway.simulator.scenario.node_objects import stamp, uid
from gateway.simulator.store import Json

_PODS_OF_NAMESPACE = 250
_BEGAN = stamp(datetime(2026, 1, 5, 8, 0, tzinfo=UTC))
_CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod that holds one card or slice."""

    number: int
    node: str
    resource: str
    generation: int = 0
    """How many held the same device before it."""
    restarts: int = 0
    phase: str = "Running"

    @property
    def name(self) -> str:
        """Its name, unlike that of the one before it."""
        return f"worker-{self.number:06}-{self.generation}"

    @property
    def namespace(self) -> str:
        """Where it is, with some hundred others."""
        return f"team-{self.number // _PODS_OF_NAMESPACE:03}"


def pod_object(pod: Pod) -> Json:
    """The Pod."""
    app = f"training-{pod.number // 8:05}"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": pod.name,
            "namespace": pod.namespace,
            "uid": uid("pod", pod.name),
            "creationTimestamp": _BEGAN,
            "labels": {"app": app, "team": pod.namespace},
            "annotations": {"cni.projectcalico.org/podIP": "10.244.7.12/32"},
            "ownerReferences": [_owner(app)],
            "managedFields": _MANAGED,
        },
        "spec": {**_SPEC, "nodeName": pod.node, "containers": [_container(pod, app)]},
        "status": _status(pod, app),
    }


def _owner(app: str) -> Json:
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": app, "uid": uid("job", app)}
    return {**owner, "controller": True, "blockOwnerDeletion": True}


def _container(pod: Pod, app: str) -> Json:
    asked = {"cpu": "8", "memory": "64Gi", pod.resource: "1"}
    return {**_CONTAINER, "image": _image(app), "resources": {"limits": asked, "requests": asked}}


def _status(pod: Pod, app: str) -> Json:
    conditions = [{"type": kind, "status": "True", "lastTransitionTime": _BEGAN} for kind in _CONDITIONS]
    container = {
        "name": "main",
        "ready": pod.phase == "Running",
        "restartCount": pod.restarts,
        "image": _image(app),
        "imageID": f"registry.example.com/ml/{app}@sha256:{'5f' * 32}",
        "containerID": f"containerd://{uid('container', pod.name).replace('-', '') * 2}",
        "state": {"running": {"startedAt": _BEGAN}},
        "lastState": {},
    }
    return {
        "phase": pod.phase,
        "hostIP": "10.20.3.4",
        "podIP": "10.244.7.12",
        "podIPs": [{"ip": "10.244.7.12"}],
        "startTime": _BEGAN,
        "qosClass": "Guaranteed",
        "conditions": conditions,
        "containerStatuses": [container],
    }


def _image(app: str) -> str:
    return f"registry.example.com/ml/{app}:2026.1"


def _managed(manager: str, fields: Json) -> Json:
    entry = {"manager": manager, "operation": "Update", "apiVersion": "v1", "time": _BEGAN}
    return {**entry, "fieldsType": "FieldsV1", "fieldsV1": fields}


_KUBELET_FIELDS: Json = {f'k:{{"type":"{kind}"}}': {"f:status": {}} for kind in _CONDITIONS}
_CONTAINER_FIELDS: Json = {'k:{"name":"main"}': {".": {}, "f:image": {}, "f:name": {}, "f:resources": {}}}
_MANAGED = [
    _managed("kube-controller-manager", {"f:spec": {"f:containers": _CONTAINER_FIELDS}}),
    _managed("kubelet", {"f:status": {"f:conditions": _KUBELET_FIELDS, "f:phase": {}, "f:startTime": {}}}),
]
_CONTAINER = {
    "name": "main",
    "command": ["python", "-m", "train", "--config", "/etc/training/config.yaml"],
    "env": [{"name": "NCCL_DEBUG", "value": "WARN"}],
    "volumeMounts": [
        {"name": "data", "mountPath": "/data"},
        {"name": "token", "readOnly": True, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"},
    ],
    "imagePullPolicy": "IfNotPresent",
}
_SPEC = {
    "restartPolicy": "Never",
    "schedulerName": "volcano",
    "priority": 1000,
    "priorityClassName": "training",
    "serviceAccountName": "default",
    "dnsPolicy": "ClusterFirst",
    "terminationGracePeriodSeconds": 30,
    "tolerations": [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"},
        {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"},
    ],
    "volumes": [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
        {"name": "token", "projected": {"defaultMode": 420, "sources": [{"serviceAccountToken": {}}]}},
    ],
}
