"""Objects as an API server tells of them, and a gateway that has read a cluster of these."""

# ruff: noqa: PLR0913 - a builder takes what an object has

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from gateway.fleet.clock import utc_now
from gateway.simulator.kinds import NODES, PODS
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.store import Store
from gateway.simulator.world import World
from tests.asking import Gateway
from tests.journeys.fleets import Still, read_world

GPU, PRODUCT, MEMORY = "nvidia.com/gpu", "nvidia.com/gpu.product", "nvidia.com/gpu.memory"
H100, SLICE = "NVIDIA-H100-80GB-HBM3", "nvidia.com/mig-3g.40gb"
T4 = {PRODUCT: "Tesla-T4", MEMORY: "15360"}
MIXED = {"nvidia.com/mig.capable": "true", "nvidia.com/mig.strategy": "mixed"}
TEAM, GROUP = "team", "scheduling.k8s.io/group-name"
Json = Any


async def gateway_of(objects: Iterable[Json]) -> Gateway:
    """A gateway that has read a cluster of these."""
    world = World(clusters={"fleet": KubernetesApi(Store(objects, serves=(NODES, PODS)))}, slurms={})
    return Gateway(Still(await read_world(world)))


def node(
    name: str = "gpu-01",
    gives: Mapping[str, str] | None = None,
    *,
    labels: Mapping[str, str | None] | None = None,
    taint: tuple[str, str, str] | None = None,
    cordoned: bool = False,
    hami: str | None = None,
) -> Json:
    """A node; without more, one with eight whole H100 and room for all that is asked."""
    has = {"cpu": "96", "memory": "1Ti", "pods": "110", **({GPU: "8"} if gives is None else gives)}
    told: dict[str, str | None] = {
        "kubernetes.io/hostname": name,
        f"{GPU}.present": "true",
        f"{GPU}.count": "8",
        **_WHOLE,
    }
    told |= labels or {}
    taints = [dict(zip(("key", "value", "effect"), taint, strict=True))] if taint else []
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {key: it for key, it in told.items() if it is not None},
            "annotations": {"hami.io/node-nvidia-register": hami} if hami else {},
        },
        "spec": {"unschedulable": cordoned, "taints": taints},
        "status": {
            "capacity": has,
            "allocatable": has,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


_WHOLE = {PRODUCT: H100, MEMORY: "81559", f"{GPU}.replicas": "1", f"{GPU}.sharing-strategy": "none"}


def pod(
    name: str = "ask",
    asks: Mapping[str, str] | None = None,
    *,
    on: str | None = None,
    status: Json = None,
    meta: Json = None,
    port: int | None = None,
    **spec: Json,
) -> Json:
    """A pod; without more, one that asks for one GPU and waits, or runs on a node."""
    devices = {GPU: "1"} if asks is None else asks
    ports = [{"containerPort": port, "hostPort": port}] if port else []
    container = {"name": "main", "resources": {"requests": devices, "limits": devices}, "ports": ports}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": TEAM, "uid": f"uid-{name}", **(meta or {})},
        "spec": {"containers": [container], **({"nodeName": on} if on else {}), **spec},
        "status": status or {"phase": "Running" if on else "Pending"},
    }


def turned_down(message: str) -> Json:
    """The status of a pod that no machine was found for, in its scheduler's words."""
    told = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return {"phase": "Pending", "conditions": [told]}


def requires(*expressions: tuple[str, str, tuple[str, ...]]) -> Json:
    """An affinity to nodes that meet all of these: key, operator, values."""
    terms = [{"key": key, "operator": it, "values": list(values)} for key, it, values in expressions]
    return affinity({"matchExpressions": terms})


def affinity(*terms: Json) -> Json:
    """An affinity to nodes that meet one of these terms."""
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return {"nodeAffinity": required}


def tolerates(key: str, value: str, effect: str) -> Json:
    """Tolerations of one taint alone."""
    return [{"key": key, "operator": "Equal", "value": value, "effect": effect}]


def quota(hard: Mapping[str, str], used: Mapping[str, str]) -> Json:
    """A ResourceQuota of the namespace."""
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "gpus", "namespace": TEAM},
        "spec": {"hard": hard},
        "status": {"hard": hard, "used": used},
    }


def limit_range(**limits: Json) -> Json:
    """A LimitRange of the pods of the namespace."""
    return {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "sizes", "namespace": TEAM},
        "spec": {"limits": [{"type": "Pod", **limits}]},
    }


def event(kind: str, name: str, reason: str, message: str, *, days_ago: int = 0) -> Json:
    """An event about an object of the namespace; without more, of this moment."""
    at = (utc_now() - timedelta(days=days_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.1", "namespace": TEAM, "uid": f"event-{name}"},
        "involvedObject": {"kind": kind, "namespace": TEAM, "name": name, "uid": f"uid-{name}"},
        "type": "Warning",
        "reason": reason,
        "message": message,
        "source": {"component": "job-controller"},
        "count": 1,
        "firstTimestamp": at,
        "lastTimestamp": at,
    }


def queue(
    name: str = TEAM, allocated: Mapping[str, str] | None = None, state: str = "Open", **spec: Json
) -> Json:
    """A queue of Volcano; without more, an open one that holds nothing."""
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": spec,
        "status": {"state": state, "allocated": {"cpu": "0", "memory": "0", **(allocated or {})}},
    }


def group(
    name: str = "gang",
    least: str = "1",
    *,
    members: int = 1,
    of: str = TEAM,
    phase: str = "Pending",
    asks: str = GPU,
) -> Json:
    """A PodGroup that asks for so much at least; without more, for a GPU."""
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": TEAM, "uid": f"uid-{name}"},
        "spec": {"queue": of, "minMember": members, "minResources": {asks: least}},
        "status": {"phase": phase},
    }


def volcano(*, hierarchy: bool = False) -> list[Json]:
    """Its scheduler, and the configuration that it runs by."""
    name, file = "volcano-scheduler", "volcano-scheduler.conf"
    text = f"""\
actions: "enqueue, allocate, backfill, reclaim"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
- plugins:
  - name: overcommit
  - name: predicates
  - name: capacity
    enableHierarchy: {str(hierarchy).lower()}
"""
    container = {
        "name": name,
        "image": "volcanosh/vc-scheduler:v1.14.2",
        "args": [f"--scheduler-conf=/volcano.scheduler/{file}"],
        "volumeMounts": [{"name": "config", "mountPath": "/volcano.scheduler"}],
    }
    template = {
        "spec": {"containers": [container], "volumes": [{"name": "config", "configMap": {"name": name}}]}
    }
    where = {"name": name, "namespace": "volcano-system", "labels": {"app": name}}
    return [
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": where, "spec": {"template": template}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": where, "data": {file: text}},
    ]


def member(
    name: str = "ask",
    asks: Mapping[str, str] | None = None,
    of: str = "gang",
    on: str | None = None,
    said: str = "",
) -> Json:
    """A pod of a PodGroup, which Volcano places."""
    meta = {"annotations": {GROUP: of}}
    status = turned_down(said) if said else None
    return pod(name, asks, on=on, meta=meta, status=status, schedulerName="volcano")


FULL = pod("other", {GPU: "8"}, on="gpu-01")
"""What holds all that a machine has."""
