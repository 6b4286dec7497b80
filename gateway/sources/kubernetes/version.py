"""Asks a cluster for its version now and then."""

import msgspec

from gateway.errors import SourceMisread, System
from gateway.sources.kubernetes.decoding import UNREADABLE
from gateway.sources.kubernetes.upkeep import Upkeep
from gateway.sources.sync import Item, Listing, poll


class VersionPoll:
    """Keeps the one row of the listing `version` fresh."""

    def __init__(self, upkeep: Upkeep) -> None:
        self._upkeep = upkeep
        every = upkeep.timing.version_every
        self._rhythm = upkeep.rhythm(every)
        self._listing: Listing[str] = upkeep.listing(System.KUBERNETES, "version", every)

    async def run(self) -> None:
        """Ask until cancelled."""
        await poll(self._read, self._listing.failed, self._rhythm, self._upkeep.sleep)

    async def _read(self) -> None:
        api = self._upkeep.api
        version = read_version(await api.read("/version"), api.cluster)
        self._listing.listed([Item(key="version", subject="version", record=version)])


class _Version(msgspec.Struct):
    git_version: str = msgspec.field(name="gitVersion")


def read_version(body: bytes, cluster: str) -> str:
    """What an answer of /version calls the server."""
    try:
        return msgspec.json.decode(body, type=_Version).git_version
    except UNREADABLE as error:
        raise SourceMisread(System.KUBERNETES, f"cluster {cluster}: /version: {error}") from error
