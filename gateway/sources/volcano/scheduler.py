"""Looks now and then which scheduler serves the queues: its Deployment, and the ConfigMap mounted there."""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from gateway.errors import SourceMisread, System
from gateway.fleet.scheduler import Release, Scheduler, SchedulerConfig, release_of
from gateway.fleet.unknown import Unknown, undetermined
from gateway.sources.kubernetes.decoding import UNREADABLE
from gateway.sources.kubernetes.failures import Forbidden, NotServed
from gateway.sources.kubernetes.upkeep import Upkeep
from gateway.sources.sync import Item, Listing, poll
from gateway.sources.volcano.deployments import Installed, read_deployments
from gateway.sources.volcano.scheduler_config import DEFAULT_CONFIG, read_config

T = TypeVar("T")

_LABEL = ("labelSelector", "app=volcano-scheduler")  # set by Volcano's chart and manifests (1.9 to 1.16)
_EVERYWHERE = "/apis/apps/v1/deployments"
_USUAL = "/apis/apps/v1/namespaces/volcano-system/deployments"


class SchedulerPoll:
    """Keeps the one row of the listing `scheduler` fresh; absent where there is no such Deployment."""

    def __init__(self, upkeep: Upkeep) -> None:
        self._api = upkeep.api
        self._sleep = upkeep.sleep
        every = upkeep.timing.scheduler_every
        self._rhythm = upkeep.rhythm(every)
        self._listing: Listing[Scheduler] = upkeep.listing(System.QUEUES, "scheduler", every)

    async def run(self) -> None:
        """Look until cancelled."""
        await poll(self._look, self._listing.failed, self._rhythm, self._sleep)

    async def _look(self) -> None:
        try:
            found = await self._installed()
        except NotServed:
            await self._api.read("/version")  # so it is no server that says 404 to everything
            self._listing.absent()
        except Forbidden as refusal:
            unseen = undetermined(System.QUEUES, f"the gateway may not list Deployments: {refusal}")
            self._tell(unseen, unseen)
        else:
            await self._tell_of(found)

    async def _tell_of(self, found: list[Installed]) -> None:
        if not found:
            self._listing.absent()
        elif len(found) == 1:
            self._tell(_release(found[0]), await self._config(found[0]))
        else:
            names = ", ".join(map(str, found))
            several = undetermined(System.QUEUES, f"there are several schedulers: {names}")
            self._tell(several, several)

    def _tell(self, release: Release | Unknown, config: SchedulerConfig | Unknown) -> None:
        scheduler = Scheduler(cluster=self._api.cluster, release=release, config=config)
        self._listing.listed([Item(key="scheduler", subject="scheduler", record=scheduler)])

    async def _installed(self) -> list[Installed]:
        """The schedulers anywhere, or where they usually are if no more may be seen."""
        try:
            return await self._list(_EVERYWHERE)
        except Forbidden:
            found = await self._list(_USUAL)
            if not found:  # it may be elsewhere
                raise
            return found

    async def _list(self, path: str) -> list[Installed]:
        return self._decoded(read_deployments, await self._api.read(path, [_LABEL]), path)

    async def _config(self, installed: Installed) -> SchedulerConfig | Unknown:
        if installed.config_file is None:
            return DEFAULT_CONFIG
        where = f"ConfigMap {installed.namespace}/{installed.config_map}"
        if installed.config_map is None:
            said = f"the configuration of {installed} comes from no ConfigMap"
            return undetermined(System.QUEUES, said)
        path = f"/api/v1/namespaces/{installed.namespace}/configmaps/{installed.config_map}"
        try:
            data = self._decoded(_read_data, await self._api.read(path), path)
        except (Forbidden, NotServed) as refusal:
            return undetermined(System.QUEUES, f"{where} cannot be read: {refusal}")
        if installed.config_file not in data:
            return undetermined(System.QUEUES, f"{where} has no {installed.config_file}")
        return read_config(data[installed.config_file], f"{where}: {installed.config_file}")

    def _decoded(self, read: Callable[[bytes], T], body: bytes, path: str) -> T:
        try:
            return read(body)
        except UNREADABLE as error:
            where = f"cluster {self._api.cluster}: {path}"
            raise SourceMisread(System.KUBERNETES, f"{where}: {error}") from error


class _ConfigMap(msgspec.Struct):
    data: dict[str, str] | None = None


def _read_data(body: bytes) -> dict[str, str]:
    return msgspec.json.decode(body, type=_ConfigMap).data or {}


def _release(installed: Installed) -> Release | Unknown:
    said = f"the image of {installed}, {installed.image}, names no release"
    return release_of(installed.image) or undetermined(System.QUEUES, said)
