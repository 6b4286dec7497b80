"""Looks now and then how the MIG managers are configured: their DaemonSets, and what these mount."""

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

import msgspec

from gateway.errors import SourceMisread, System
from gateway.fleet.layouts import LayoutFile
from gateway.fleet.unknown import undetermined
from gateway.sources.kubernetes.decoding import UNREADABLE
from gateway.sources.kubernetes.failures import Forbidden, NotServed
from gateway.sources.kubernetes.layouts import LAYOUTS_KEY, read_layouts
from gateway.sources.kubernetes.upkeep import Upkeep
from gateway.sources.sync import Item, Listing, poll

T = TypeVar("T")

_DAEMON_SETS = "/apis/apps/v1/daemonsets"
_LABEL = ("labelSelector", "app=nvidia-mig-manager")  # set by the GPU operator (@a22dbf6)


class MigConfigPoll:
    """Keeps the rows of the listing `migconfigs` fresh; absent where there is no MIG manager."""

    def __init__(self, upkeep: Upkeep) -> None:
        self._api = upkeep.api
        self._sleep = upkeep.sleep
        every = upkeep.timing.layouts_every
        self._rhythm = upkeep.rhythm(every)
        self._listing: Listing[LayoutFile] = upkeep.listing(System.KUBERNETES, "migconfigs", every)

    async def run(self) -> None:
        """Look until cancelled."""
        await poll(self._look, self._listing.failed, self._rhythm, self._sleep)

    async def _look(self) -> None:
        try:
            maps = set(mounted(await self._decoded(DaemonSets, _DAEMON_SETS, [_LABEL])))
        except NotServed:
            await self._api.read("/version")  # so it is no server that says 404 to everything
            self._listing.absent()
        except Forbidden as refusal:
            self._tell([_unseen("the MIG manager", f"the gateway may not list DaemonSets: {refusal}")])
        else:
            files = [await self._file(one) for one in sorted(maps)]
            self._tell([file for file in files if file is not None])

    def _tell(self, files: list[LayoutFile]) -> None:
        if files:
            self._listing.listed([Item(key=file.where, subject=file.where, record=file) for file in files])
        else:
            self._listing.absent()

    async def _file(self, at: "_Place") -> LayoutFile | None:
        """Read one; None where it is not there, and the manager goes by what it comes with."""
        path = f"/api/v1/namespaces/{at.namespace}/configmaps/{at.name}"
        where = f"ConfigMap {at.namespace}/{at.name}"
        try:
            data = (await self._decoded(_ConfigMap, path)).data or {}
        except NotServed:
            return None
        except Forbidden as refusal:
            return _unseen(where, f"{where} cannot be read: {refusal}")
        if LAYOUTS_KEY not in data:
            return _unseen(where, f"{where} has no {LAYOUTS_KEY}")
        return LayoutFile(where=where, layouts=read_layouts(data[LAYOUTS_KEY], f"{where}: {LAYOUTS_KEY}"))

    async def _decoded(self, kind: type[T], path: str, query: list[tuple[str, str]] | None = None) -> T:
        body = await self._api.read(path, query or ())
        try:
            return msgspec.json.decode(body, type=kind)
        except UNREADABLE as error:
            where = f"cluster {self._api.cluster}: {path}"
            raise SourceMisread(System.KUBERNETES, f"{where}: {error}") from error


def _unseen(where: str, reason: str) -> LayoutFile:
    return LayoutFile(where=where, layouts=undetermined(System.KUBERNETES, reason))


class _Place(NamedTuple):
    """Where a ConfigMap stands."""

    namespace: str
    name: str


class _Metadata(msgspec.Struct):
    namespace: str


class _Source(msgspec.Struct):
    name: str = ""


class _Volume(msgspec.Struct):
    name: str
    config_map: _Source | None = msgspec.field(name="configMap", default=None)


class _PodSpec(msgspec.Struct):
    volumes: list[_Volume] | None = None


class _Template(msgspec.Struct):
    spec: _PodSpec


class _Spec(msgspec.Struct):
    template: _Template


class _DaemonSet(msgspec.Struct):
    metadata: _Metadata
    spec: _Spec


class DaemonSets(msgspec.Struct):
    """A list of DaemonSets, as far as it says what they mount."""

    items: list[_DaemonSet]


class _ConfigMap(msgspec.Struct):
    data: dict[str, str] | None = None


_VOLUME = "mig-parted-config"


def mounted(found: DaemonSets) -> Iterator[_Place]:
    """Find the ConfigMaps that hold layouts; there are others, with scripts and GPU clients."""
    for one in found.items:
        for volume in one.spec.template.spec.volumes or ():
            if volume.name == _VOLUME and volume.config_map and volume.config_map.name:
                yield _Place(one.metadata.namespace, volume.config_map.name)
