"""Reads nodes."""

from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache, partial

import msgspec
from immutables import Map

from gateway.errors import System
from gateway.fleet.condition import Condition
from gateway.fleet.gpu import DeviceResource
from gateway.fleet.node import KubernetesNode, Taint
from gateway.fleet.quantity import Quantity
from gateway.fleet.unknown import Maybe, Unknown, undetermined
from gateway.sources.kubernetes.amounts import RawAmounts, gpu_resources, read_amount, read_devices
from gateway.sources.kubernetes.conditions import RawCondition, read_conditions
from gateway.sources.kubernetes.decoding import UNREADABLE, decode_object
from gateway.sources.kubernetes.labels import read_labels
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.sync import Problem

_NOTHING = msgspec.Raw()  # not None: a union would decode to it (msgspec 0.23)
_VITAL = ("spec.unschedulable", "status.capacity", "status.allocatable")


class _Annotations(msgspec.Struct):
    hami_register: str | None = msgspec.field(name="hami.io/node-nvidia-register", default=None)


class _Metadata(msgspec.Struct):
    name: str
    uid: str = ""
    labels: dict[str, str] | None = None
    annotations: _Annotations | None = None
    managed_fields: msgspec.Raw = msgspec.field(name="managedFields", default=_NOTHING)


class _Taint(msgspec.Struct):
    key: str
    effect: str
    value: str | None = None


class _Spec(msgspec.Struct):
    unschedulable: bool | None = None
    taints: list[_Taint] | None = None


class _NodeInfo(msgspec.Struct):
    kubelet_version: str | None = msgspec.field(name="kubeletVersion", default=None)
    container_runtime: str | None = msgspec.field(name="containerRuntimeVersion", default=None)


class _Status(msgspec.Struct):
    capacity: dict[str, msgspec.Raw] | None = None
    allocatable: dict[str, msgspec.Raw] | None = None
    conditions: list[RawCondition] | None = None
    node_info: _NodeInfo | None = msgspec.field(name="nodeInfo", default=None)


class _Node(msgspec.Struct):
    metadata: _Metadata
    spec: _Spec | None = None
    status: _Status | None = None


class _OwnedSpec(msgspec.Struct):
    unschedulable: msgspec.Raw = msgspec.field(name="f:unschedulable", default=_NOTHING)


class _Owned(msgspec.Struct):
    spec: _OwnedSpec | None = msgspec.field(name="f:spec", default=None)


class _ManagedFields(msgspec.Struct):
    manager: str = ""
    time: str = ""
    owned: _Owned | None = msgspec.field(name="fieldsV1", default=None)


_NODE = msgspec.json.Decoder(_Node)
_OWNERS = msgspec.json.Decoder(list[_ManagedFields])


def nodes(cluster: str) -> Kind[KubernetesNode]:
    """The nodes of a cluster."""
    return Kind(path="/api/v1/nodes", read=partial(read_node, cluster))


def read_node(cluster: str, raw: msgspec.Raw, problems: list[Problem]) -> KubernetesNode:
    """Read one node."""
    node = decode_object(_NODE, raw, problems, vital=_VITAL)
    spec, status = node.spec or _Spec(), node.status or _Status()
    info, annotations = status.node_info or _NodeInfo(), node.metadata.annotations or _Annotations()
    labels = node.metadata.labels or {}
    conditions = read_conditions(status.conditions, problems)
    return KubernetesNode(
        cluster=cluster,
        name=node.metadata.name,
        uid=node.metadata.uid,
        ready=_ready(conditions),
        cordoned=bool(spec.unschedulable),
        cordoned_by=_cordoned_by(node.metadata.managed_fields) if spec.unschedulable else None,
        taints=tuple(Taint(key=it.key, value=it.value, effect=it.effect) for it in spec.taints or ()),
        labels=labels,
        conditions=conditions,
        kubelet_version=info.kubelet_version,
        container_runtime=info.container_runtime,
        resources=tuple(_resources(status, problems)),
        gpu_labels=read_labels(labels, problems),
        hami_register=annotations.hami_register,
        allocatable=_allocatable(
            tuple((name, bytes(raw)) for name, raw in (status.allocatable or {}).items())
        ),
    )


def _ready(conditions: tuple[Condition, ...]) -> bool | Unknown:
    for condition in conditions:
        if condition.type == "Ready":
            return condition.status == "True"
    return undetermined(System.KUBERNETES, "the node has no readable condition Ready")


def _cordoned_by(managed_fields: msgspec.Raw) -> Maybe[str]:
    """The manager that set spec.unschedulable last."""
    if not managed_fields:
        return undetermined(
            System.KUBERNETES, "the node is cordoned and has no managedFields that say by whom"
        )
    try:
        entries = _OWNERS.decode(managed_fields)
    except UNREADABLE:
        return undetermined(System.KUBERNETES, "the node is cordoned and its managedFields cannot be read")
    owners = [
        (it.time, it.manager) for it in entries if it.owned and it.owned.spec and it.owned.spec.unschedulable
    ]
    if not owners:
        return undetermined(System.KUBERNETES, "the node is cordoned and nobody owns spec.unschedulable")
    return max(owners)[1]


def _resources(status: _Status, problems: list[Problem]) -> Iterator[DeviceResource]:
    capacity, allocatable = gpu_resources(status.capacity), gpu_resources(status.allocatable)
    for name in sorted({*capacity, *allocatable}):
        yield DeviceResource(
            name=name,
            capacity=_amount(name, capacity, "status.capacity", problems),
            allocatable=_amount(name, allocatable, "status.allocatable", problems),
        )


@lru_cache(maxsize=4096)
def _allocatable(amounts: tuple[tuple[str, bytes], ...]) -> Map[str, Decimal | Unknown]:
    """Every resource; what cannot be read of the GPUs is told where they are read."""
    read = (
        (name, read_amount(name, msgspec.Raw(raw), "status.allocatable", []).value) for name, raw in amounts
    )
    return Map((name, value) for name, value in read if value is not None)


def _amount(name: str, amounts: RawAmounts, path: str, problems: list[Problem]) -> Quantity | None:
    return read_devices(name, amounts[name], path, problems) if name in amounts else None
