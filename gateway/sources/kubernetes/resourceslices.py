"""Reads ResourceSlices: the devices that drivers list for a node (resource.k8s.io/v1)."""

from collections.abc import Mapping
from functools import partial

import msgspec

from gateway.fleet.dra import Device, DeviceKind, ResourceSlice
from gateway.sources.kubernetes.decoding import decode_object
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.sync import Problem

_KEEPS_AWAY = {"NoSchedule", "NoExecute"}
_KINDS = {kind.value: kind for kind in (DeviceKind.GPU, DeviceKind.MIG)}


class _Metadata(msgspec.Struct):
    name: str


class _Attribute(msgspec.Struct):
    string: str | None = None


class _Taint(msgspec.Struct):
    effect: str = ""


class _Device(msgspec.Struct):
    name: str
    attributes: dict[str, _Attribute] | None = None
    taints: list[_Taint] | None = None


class _Pool(msgspec.Struct):
    name: str
    generation: int
    slices: int = msgspec.field(name="resourceSliceCount")


class _Spec(msgspec.Struct):
    driver: str
    pool: _Pool
    node_name: str | None = msgspec.field(name="nodeName", default=None)
    devices: list[_Device] | None = None


class _ResourceSlice(msgspec.Struct):
    metadata: _Metadata
    spec: _Spec


_SLICE = msgspec.json.Decoder(_ResourceSlice)


def resource_slices(cluster: str) -> Kind[ResourceSlice]:
    """The ResourceSlices of a cluster."""
    path = "/apis/resource.k8s.io/v1/resourceslices"
    return Kind(path=path, read=partial(read_slice, cluster), optional=True)


def read_slice(cluster: str, raw: msgspec.Raw, problems: list[Problem]) -> ResourceSlice:
    """Read one slice."""
    found = decode_object(_SLICE, raw, problems, vital=("spec",))
    spec = found.spec
    return ResourceSlice(
        cluster=cluster,
        name=found.metadata.name,
        driver=spec.driver,
        pool=spec.pool.name,
        generation=spec.pool.generation,
        slices_of_pool=spec.pool.slices,
        node_name=spec.node_name or None,
        devices=tuple(_device(one, spec.driver) for one in spec.devices or ()),
    )


def _device(raw: _Device, driver: str) -> Device:
    said = _Attributes(raw.attributes or {}, driver)
    return Device(
        name=raw.name,
        kind=_KINDS.get(said.text("type") or "", DeviceKind.OTHER),
        uuid=said.text("uuid"),
        parent=said.text("parentUUID"),
        profile=said.text("profile"),
        product=said.text("productName"),
        tainted=any(taint.effect in _KEEPS_AWAY for taint in raw.taints or ()),
    )


class _Attributes:
    """What a driver says of a device; a name without a domain is of the driver's own."""

    def __init__(self, attributes: Mapping[str, _Attribute], driver: str) -> None:
        self._attributes = attributes
        self._driver = driver

    def text(self, name: str) -> str | None:
        found = self._attributes.get(name) or self._attributes.get(f"{self._driver}/{name}")
        return found.string if found else None
