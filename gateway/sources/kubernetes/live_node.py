"""Reads a node as the reconciler needs it: who owns what in it, and what it offers now."""

from collections.abc import Mapping

import msgspec

from gateway.errors import System
from gateway.fleet.live import LiveNode
from gateway.fleet.quantity import device_count
from gateway.sources.kubernetes.amounts import gpu_resources, read_amount

_CORDON = ("f:spec", "f:unschedulable")
_MIG_LABEL = ("f:metadata", "f:labels", "f:nvidia.com/mig.config")


class _ManagedFields(msgspec.Struct):
    manager: str = ""
    fields: msgspec.Raw = msgspec.field(name="fieldsV1", default=msgspec.Raw(b"{}"))


class _Metadata(msgspec.Struct):
    name: str
    uid: str
    version: str = msgspec.field(name="resourceVersion")
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    managed_fields: list[_ManagedFields] | None = msgspec.field(name="managedFields", default=None)


class _Taint(msgspec.Struct):
    key: str


class _Spec(msgspec.Struct):
    unschedulable: bool | None = None
    taints: list[_Taint] | None = None


class _Condition(msgspec.Struct):
    type: str
    status: str


class _NodeInfo(msgspec.Struct):
    boot_id: str = msgspec.field(name="bootID", default="")


class _Status(msgspec.Struct):
    capacity: dict[str, msgspec.Raw] | None = None
    allocatable: dict[str, msgspec.Raw] | None = None
    conditions: list[_Condition] | None = None
    info: _NodeInfo | None = msgspec.field(name="nodeInfo", default=None)


class RawNode(msgspec.Struct):
    """A node as it is written."""

    metadata: _Metadata
    spec: _Spec | None = None
    status: _Status | None = None


def read_live_node(node: RawNode) -> LiveNode:
    """The node, with the managers of the two fields that the gateway shares with others."""
    metadata, spec, status = node.metadata, node.spec or _Spec(), node.status or _Status()
    managed = metadata.managed_fields or []
    return LiveNode(
        name=metadata.name,
        uid=metadata.uid,
        version=metadata.version,
        ready=any(it.type == "Ready" and it.status == "True" for it in status.conditions or ()),
        boot_id=(status.info and status.info.boot_id) or None,
        unschedulable=bool(spec.unschedulable),
        cordon_owners=_owners(managed, _CORDON),
        label_owners=_owners(managed, _MIG_LABEL),
        labels=metadata.labels or {},
        annotations=metadata.annotations or {},
        taints=tuple(taint.key for taint in spec.taints or ()),
        gpu_capacity=_counts(status.capacity),
        gpu_allocatable=_counts(status.allocatable),
    )


def _owners(managed: list[_ManagedFields], path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({entry.manager for entry in managed if _owns(entry, path)}))


def _owns(entry: _ManagedFields, path: tuple[str, ...]) -> bool:
    fields = msgspec.json.decode(entry.fields)
    for step in path:
        if not isinstance(fields, dict) or step not in fields:
            return False
        fields = fields[step]
    return True


def _counts(amounts: Mapping[str, msgspec.Raw] | None) -> dict[str, int | None]:
    return {name: _count(name, raw) for name, raw in gpu_resources(amounts).items()}


def _count(resource: str, raw: msgspec.Raw) -> int | None:
    count = device_count(read_amount(resource, raw, "", []), System.KUBERNETES)
    return count if isinstance(count, int) else None
