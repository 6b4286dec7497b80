"""One cluster's API server, through the official client's configuration, credentials and connection.

No more of the client is used: its `Watch` asks again without a pause and looks at no status, and its
typed models lose a whole list for one odd object (kubernetes 37.0.2).
"""

import asyncio
import contextlib
import socket
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus

import aiohttp
import msgspec
from kubernetes.aio.client import ApiClient
from kubernetes.aio.client.rest import RESTClientObject
from kubernetes.aio.utils import Backoff

from gateway.errors import SourceError, SourceMisread, System
from gateway.sources.kubernetes.access import ClusterAccess, check
from gateway.sources.kubernetes.credentials import configure
from gateway.sources.kubernetes.failures import refusal, translated

Query = Sequence[tuple[str, str]]

_CONNECT_SECONDS = 3.0
# For reads that the server asks to try again; the client's `retries` would repeat PUT and DELETE too.
_RETRIES = Backoff(steps=3, duration=0, factor=1)
_ANSWER_SECONDS = 30.0
_LARGEST_ANSWER = 128 * 2**20
_LARGEST_REFUSAL = 64 * 2**10


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of the server."""

    path: str
    query: Query = ()
    method: str = "GET"
    body: object = None
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server said, whether it did what was asked or not."""

    status: int
    body: bytes


class Answer:
    """An answer that is being read."""

    def __init__(self, response: aiohttp.ClientResponse, cluster: str) -> None:
        self._response = response
        self._cluster = cluster

    async def chunk(self) -> bytes:
        """The next bytes as they come; none at the end."""
        with translated(self._cluster):
            return await self._response.content.readany()

    async def whole(self) -> bytes:
        """All that is left."""
        body = bytearray()
        while chunk := await self.chunk():
            body += chunk
            if len(body) > _LARGEST_ANSWER:
                problem = f"cluster {self._cluster}: an answer of over {_LARGEST_ANSWER} bytes"
                raise SourceMisread(System.KUBERNETES, problem)
        return bytes(body)


class Api:
    """Asks one cluster's API server, over connections that are shared and made when first needed."""

    def __init__(self, access: ClusterAccess) -> None:
        check(access)
        self.cluster = access.name
        self._access = access
        self._client: ApiClient | None = None
        self._opening = asyncio.Lock()
        self._uses: Counter[ApiClient] = Counter()

    async def read(self, path: str, query: Query = ()) -> bytes:
        """The whole of a JSON answer."""
        async with self.answer(path, query) as answer:
            return await answer.whole()

    async def exchange(self, request: Request) -> Reply:
        """Ask once, and return what the server said, a refusal too; an error where it did not answer.

        aiohttp (3.14) sends a PUT or DELETE again where a kept connection turns out closed: each of them must
        name a version or a uid.
        """
        async with self._borrowed() as client:
            with translated(self.cluster):
                response = await self._respond(client, request, _ANSWER_SECONDS)
            try:
                if response.status == HTTPStatus.UNAUTHORIZED or response.content_type != "application/json":
                    raise await self._refusal(client, request.path, response)
                return Reply(status=response.status, body=await Answer(response, self.cluster).whole())
            finally:
                response.close()

    @contextlib.asynccontextmanager
    async def answer(
        self, path: str, query: Query = (), *, within: float = _ANSWER_SECONDS
    ) -> AsyncIterator[Answer]:
        """A JSON answer of status 200, which must end within that many seconds; anything else is an error."""
        async with self._borrowed() as client:
            with translated(self.cluster):
                response = await self._respond(client, Request(path=path, query=query), within)
            try:
                if response.status != HTTPStatus.OK or response.content_type != "application/json":
                    raise await self._refusal(client, path, response)
                yield Answer(response, self.cluster)
            finally:
                response.close()

    async def close(self) -> None:
        """End what is not in use; the next question opens connections, with credentials read anew."""
        client, self._client = self._client, None
        if client is not None:
            await self._drop_unused(client)

    @contextlib.asynccontextmanager
    async def _borrowed(self) -> AsyncIterator[ApiClient]:
        """The client of the moment, which is not closed while it is in use."""
        with translated(self.cluster):
            client = await self._opened()
        self._uses[client] += 1
        try:
            yield client
        finally:
            self._uses[client] -= 1
            if client is not self._client:
                await self._drop_unused(client)

    async def _drop_unused(self, client: ApiClient) -> None:
        if not self._uses[client]:
            del self._uses[client]
            await client.close()  # type: ignore[no-untyped-call]  # has no types

    async def _opened(self) -> ApiClient:
        async with self._opening:
            if self._client is None:
                configuration = await configure(self._access)
                configuration.client_go_retries = True
                configuration.client_go_retry_backoff = _RETRIES  # type: ignore[assignment]  # declared None
                self._client = ApiClient(configuration)
                self._client.rest_client = _Rest(configuration)
                self._client.user_agent = "gpu-gateway"
            return self._client

    async def _respond(self, client: ApiClient, asked: Request, within: float) -> aiohttp.ClientResponse:
        request = await client.param_serialize(
            asked.method,
            asked.path,
            query_params=list(asked.query),
            header_params={"Accept": "application/json", "Content-Type": asked.content_type},
            body=asked.body,
            auth_settings=["BearerToken"],
        )
        timeout = aiohttp.ClientTimeout(total=within, sock_connect=_CONNECT_SECONDS)
        try:
            async with asyncio.timeout(within):  # over the client's own retries
                answer = await client.call_api(*request, _request_timeout=timeout)
        except aiohttp.ClientConnectorCertificateError:
            await self._distrust(client)
            raise
        response: aiohttp.ClientResponse = answer.response
        return response

    async def _distrust(self, client: ApiClient) -> None:
        """Read credentials and trust anew for the next question, unless another question saw to it."""
        if client is self._client:
            await self.close()

    async def _refusal(self, client: ApiClient, path: str, response: aiohttp.ClientResponse) -> SourceError:
        with translated(self.cluster):
            said = _said(await response.content.read(_LARGEST_REFUSAL), response)
        if response.status == HTTPStatus.UNAUTHORIZED:
            await self._distrust(client)
        return refusal(response.status, f"cluster {self.cluster}: {path}: {response.status} {said}")


class _Status(msgspec.Struct):
    message: str = ""


def _said(body: bytes, response: aiohttp.ClientResponse) -> str:
    try:
        message = msgspec.json.decode(body, type=_Status).message
    except (msgspec.MsgspecError, RecursionError):
        message = ""
    return message or f"{response.reason} ({response.content_type})"


class _Rest(RESTClientObject):
    """The client's connection, on sockets that notice a peer whose packets are lost."""

    def _create_connector(self) -> aiohttp.TCPConnector:
        return aiohttp.TCPConnector(limit=self.maxsize, ssl=self.ssl_context, socket_factory=_tuned)


def _tuned(address: aiohttp.AddrInfoType) -> socket.socket:
    family, kind, protocol, *_ = address
    connection = socket.socket(family, kind, protocol)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in _LINUX_OPTIONS.items():
        if hasattr(socket, option):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    return connection


_LINUX_OPTIONS = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 20_000}
"""Seconds, but for the last, which is milliseconds."""
