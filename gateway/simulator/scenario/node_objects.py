"""Node objects as a kubelet leaves them."""

import uuid
from datetime import datetime, timedelta

from gateway.simulator.scenario.hardware import BATCH_TAINT, NOTEBOOKS_TAINT, Machine
from gateway.simulator.scenario.node_labels import node_labels
from gateway.simulator.store import Json

_PRESSURES = {
    "MemoryPressure": ("KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    "DiskPressure": ("KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    "PIDPressure": ("KubeletHasSufficientPID", "kubelet has sufficient PID available"),
}


def stamp(moment: datetime) -> str:
    """A time as Kubernetes writes it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def uid(*parts: str) -> str:
    """The same uid for the same thing in every run."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(parts)))


def node_object(machine: Machine, number: int, now: datetime) -> Json:
    """The Node of a machine, as it stands at that time."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": machine.name,
            "uid": uid("node", machine.name),
            "creationTimestamp": stamp(now - timedelta(days=90 - number)),
            "labels": node_labels(machine, now),
            "annotations": {"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
            "managedFields": _managed_fields(machine, now),
        },
        "spec": _spec(machine, number),
        "status": {
            "addresses": [
                {"type": "InternalIP", "address": f"10.20.0.{number + 10}"},
                {"type": "Hostname", "address": machine.name},
            ],
            "capacity": _amounts(machine, machine.capacity, reserved=False),
            "allocatable": _amounts(machine, machine.allocatable, reserved=True),
            "conditions": _conditions(machine, now),
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": _node_info(machine),
        },
    }


def _managed_fields(machine: Machine, now: datetime) -> list[Json]:
    entries = [_managed("kubelet", now, {"f:status": {"f:conditions": {}}}, subresource="status")]
    if machine.cordoned_by:
        entries.append(_managed(machine.cordoned_by, now, {"f:spec": {"f:unschedulable": {}}}))
    return entries


def _managed(manager: str, now: datetime, fields: Json, *, subresource: str = "") -> Json:
    entry = {
        "manager": manager,
        "operation": "Update",
        "apiVersion": "v1",
        "time": stamp(now - timedelta(hours=3)),
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    return entry | ({"subresource": subresource} if subresource else {})


def _spec(machine: Machine, number: int) -> Json:
    taints: list[Json] = []
    if machine.name.startswith("control-"):
        taints.append({"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"})
    if machine.batch:
        taints.append(BATCH_TAINT)
    if machine.notebooks:
        taints.append(NOTEBOOKS_TAINT)
    if machine.cordoned_by:
        taints.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
    if not machine.ready:
        unreachable = "node.kubernetes.io/unreachable"
        taints += [{"key": unreachable, "effect": effect} for effect in ("NoSchedule", "NoExecute")]
    spec: dict[str, Json] = {"podCIDR": f"10.244.{number}.0/24", "podCIDRs": [f"10.244.{number}.0/24"]}
    spec |= {"taints": taints} if taints else {}
    return spec | ({"unschedulable": True} if machine.cordoned_by else {})


def _amounts(machine: Machine, devices: dict[str, int], *, reserved: bool) -> dict[str, str]:
    cpus = machine.model.cpus if machine.model else 32
    memory_kib = (machine.model.memory_gib if machine.model else 128) * 1024 * 1024 - 188_416
    return {
        "cpu": f"{cpus * 1000 - 320}m" if reserved else str(cpus),
        "ephemeral-storage": "1725221824Ki",
        "hugepages-2Mi": "0",
        "memory": f"{memory_kib - 102_400 if reserved else memory_kib}Ki",
        "pods": "110",
    } | {name: str(count) for name, count in devices.items()}


def _conditions(machine: Machine, now: datetime) -> list[Json]:
    seen = now if machine.ready else now - timedelta(minutes=42)
    status = "False" if machine.ready else "Unknown"
    silent = ("NodeStatusUnknown", "Kubelet stopped posting node status.")
    said = {kind: words if machine.ready else silent for kind, words in _PRESSURES.items()}
    ready = ("KubeletReady", "kubelet is posting ready status") if machine.ready else silent
    conditions = [_condition(kind, status, words, seen) for kind, words in said.items()]
    return [*conditions, _condition("Ready", "True" if machine.ready else "Unknown", ready, seen)]


def _condition(kind: str, status: str, words: tuple[str, str], seen: datetime) -> Json:
    reason, message = words
    changed = seen if status == "Unknown" else seen - timedelta(days=12)
    return {
        "type": kind,
        "status": status,
        "lastHeartbeatTime": stamp(seen),
        "lastTransitionTime": stamp(changed),
        "reason": reason,
        "message": message,
    }


def _node_info(machine: Machine) -> Json:
    return {
        "architecture": "amd64",
        "bootID": uid("boot", machine.name),
        "containerRuntimeVersion": "containerd://2.1.4",
        "kernelVersion": "6.8.0-60-generic",
        "kubeProxyVersion": "",
        "kubeletVersion": "v1.36.3",
        "machineID": uid("machine", machine.name).replace("-", ""),
        "operatingSystem": "linux",
        "osImage": "Ubuntu 24.04.2 LTS",
        "systemUUID": uid("system", machine.name),
    }
