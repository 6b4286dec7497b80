"""Questions to an API server that must be answered now, and writes: each within the time that is left."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from typing import TypeVar

import msgspec

from gateway.errors import SourceMisread, SourceUnavailable, System
from gateway.fleet.live import EffectResult
from gateway.sources.kubernetes.api import Api, Query, Reply, Request
from gateway.sources.kubernetes.decoding import UNREADABLE
from gateway.sources.kubernetes.effects import effect_of, read_status
from gateway.sources.kubernetes.failures import refusal, translated

T = TypeVar("T")

APPLY, MERGE = "application/apply-patch+yaml", "application/merge-patch+json"


class LiveApi:
    """One cluster's API server, asked for what is there at this moment: never with resourceVersion=0."""

    def __init__(self, api: Api, seconds: Callable[[], float]) -> None:
        self._api = api
        self._seconds = seconds

    @property
    def cluster(self) -> str:
        """The cluster's name in the graph."""
        return self._api.cluster

    async def read(self, path: str, kind: type[T], query: Query = ()) -> T | None:
        """The object or list there; None where the server says that there is no such object."""
        reply = await self._exchange(Request(path=path, query=query))
        if reply.status == HTTPStatus.NOT_FOUND and read_status(reply).reason == "NotFound":
            return None
        if reply.status != HTTPStatus.OK:
            raise refusal(reply.status, f"{self._where(path)}: {reply.status} {read_status(reply).message}")
        try:
            return msgspec.json.decode(reply.body, type=kind)
        except UNREADABLE as error:
            raise SourceMisread(System.KUBERNETES, f"{self._where(path)}: {error}") from error

    async def write(self, request: Request) -> EffectResult:
        """Ask for a change, once."""
        return effect_of(await self._exchange(request), self._where(request.path))

    async def _exchange(self, request: Request) -> Reply:
        async with self._in_time():
            return await self._api.exchange(request)

    @contextlib.asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        seconds = self._seconds()
        if seconds <= 0:  # a time limit of nothing would let the first bytes out
            raise SourceUnavailable(System.KUBERNETES, f"cluster {self.cluster}: no time is left to ask")
        with translated(self.cluster):
            async with asyncio.timeout(seconds):
                yield

    def _where(self, path: str) -> str:
        return f"cluster {self.cluster}: {path}"
