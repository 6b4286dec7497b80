"""Looks now and then which DaemonSets make GPUs usable, and which configurations the device plugin has."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

import msgspec
from immutables import Map

from gateway.errors import SourceMisread, System
from gateway.fleet.constraints import Constraints
from gateway.fleet.operand import OPERANDS, Operand, OperandSet, operand_of
from gateway.fleet.unknown import Unknown, undetermined
from gateway.sources.kubernetes.constraints import RawConstraints, read_constraints
from gateway.sources.kubernetes.decoding import UNREADABLE
from gateway.sources.kubernetes.failures import Forbidden, NotServed
from gateway.sources.kubernetes.pod_template import RawTemplate, privileges
from gateway.sources.kubernetes.upkeep import Upkeep
from gateway.sources.sync import Item, Listing, poll

T = TypeVar("T")

_DAEMON_SETS = "/apis/apps/v1/daemonsets"
_CONFIGS = "/available-configs"
"""Where the device plugin looks for configurations (gpu-operator 25.3, k8s-device-plugin 0.17)."""
_DEFAULT = "DEFAULT_CONFIG"


class OperandPoll:
    """Keeps the rows of the listing `operands` fresh."""

    def __init__(self, upkeep: Upkeep) -> None:
        self._api = upkeep.api
        self._sleep = upkeep.sleep
        every = upkeep.timing.layouts_every
        self._rhythm = upkeep.rhythm(every)
        self._listing: Listing[OperandSet] = upkeep.listing(System.KUBERNETES, OPERANDS, every)

    async def run(self) -> None:
        """Look until cancelled."""
        await poll(self._look, self._listing.failed, self._rhythm, self._sleep)

    async def _look(self) -> None:
        try:
            found = await self._decoded(_DaemonSets, _DAEMON_SETS)
        except NotServed:
            await self._api.read("/version")  # so it is no server that says 404 to everything
            self._listing.absent()
        else:
            self._listing.listed([await self._item(one) for one in _operands(found, self._api.cluster)])

    async def _item(self, found: OperandSet) -> Item[OperandSet]:
        record = found
        if found.config_map is not None:
            record = replace(found, configs=await self._configs(found.namespace, found.config_map))
        return Item(key=(found.namespace, found.name), subject=found.where, record=record)

    async def _configs(self, namespace: str, name: str) -> frozenset[str] | Unknown:
        """The names of a ConfigMap's entries; none where it is not there."""
        where = f"ConfigMap {namespace}/{name}"
        try:
            found = await self._decoded(_ConfigMap, f"/api/v1/namespaces/{namespace}/configmaps/{name}")
        except NotServed:
            return frozenset()
        except Forbidden as refusal:
            return undetermined(System.KUBERNETES, f"{where} cannot be read: {refusal}")
        return frozenset(found.data or ())

    async def _decoded(self, kind: type[T], path: str) -> T:
        body = await self._api.read(path)
        try:
            return msgspec.json.decode(body, type=kind)
        except UNREADABLE as error:
            where = f"cluster {self._api.cluster}: {path}"
            raise SourceMisread(System.KUBERNETES, f"{where}: {error}") from error


class _Metadata(msgspec.Struct):
    name: str
    namespace: str


class _Template(msgspec.Struct):
    spec: RawTemplate


class _Spec(msgspec.Struct):
    template: _Template


class _DaemonSet(msgspec.Struct):
    metadata: _Metadata
    spec: _Spec


class _DaemonSets(msgspec.Struct):
    items: list[_DaemonSet]


class _ConfigMap(msgspec.Struct):
    data: dict[str, str] | None = None


def _operands(found: _DaemonSets, cluster: str) -> Iterator[OperandSet]:
    for one in found.items:
        operand = operand_of(f"DaemonSet/{one.metadata.name}")
        if operand is not None:
            yield _operand(one, operand, cluster)


def _operand(found: _DaemonSet, operand: Operand, cluster: str) -> OperandSet:
    spec = found.spec.template.spec
    is_plugin = operand is Operand.DEVICE_PLUGIN
    return OperandSet(
        cluster=cluster,
        namespace=found.metadata.namespace,
        name=found.metadata.name,
        operand=operand,
        runtime_class=spec.runtime_class,
        node_selector=Map(spec.node_selector or {}),
        constraints=_constraints(spec),
        privileges=privileges(spec),
        config_map=_config_map(spec) if is_plugin else None,
        default_config=_default_config(spec) if is_plugin else None,
    )


def _constraints(spec: RawTemplate) -> Constraints | Unknown:
    raw = RawConstraints(
        tolerations=bytes(spec.tolerations),
        node_selector=msgspec.json.encode(spec.node_selector),
        affinity=bytes(spec.affinity),
    )
    return read_constraints(raw, ())


def _config_map(spec: RawTemplate) -> str | None:
    """The ConfigMap that is mounted where the plugin looks for its configurations."""
    mounts = {
        mount.name for one in spec.every_container for mount in one.mounts or () if mount.path == _CONFIGS
    }
    maps = (it.config_map for it in spec.volumes or () if it.name in mounts and it.config_map)
    return next((one.name for one in maps), None)


def _default_config(spec: RawTemplate) -> str | None:
    told = (it.value for one in spec.every_container for it in one.env or () if it.name == _DEFAULT)
    return next((value for value in told if value), None)
