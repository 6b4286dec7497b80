"""One cluster's API server, through the official client's configuration, credentials and connection.

No more of the client is used: its `Watch` asks again without a pause and looks at no status, and its
typed models lose a whole list for one odd object (kubernetes 37.0.2).
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from http import HTTPStatus

import aiohttp
import msgspec
from aiohttp import http_exceptions
from kubernetes.aio.client import ApiClient, ApiException, OpenApiException
from kubernetes.aio.client.rest import RESTClientObject

from gateway.errors import SourceError, SourceMisread, SourceRefused, SourceUnavailable, System
from gateway.sources.kubernetes.access import ClusterAccess, check
from gateway.sources.kubernetes.credentials import configure

Query = Sequence[tuple[str, str]]

_CONNECT_SECONDS = 3.0
_RETRIES = 2  # of what the server asks to try again, by Retry-After
_ANSWER_SECONDS = 30.0
_SERVER_ERRORS = 500
_LARGEST_ANSWER = 128 * 2**20
_LARGEST_REFUSAL = 64 * 2**10

TRANSLATION: dict[type[Exception], type[SourceError]] = {
    aiohttp.ClientConnectorCertificateError: SourceRefused,
    aiohttp.ServerFingerprintMismatch: SourceRefused,
    aiohttp.ClientConnectionError: SourceUnavailable,
    aiohttp.ClientPayloadError: SourceUnavailable,
    aiohttp.UploadAbortedError: SourceUnavailable,
    aiohttp.ClientHttpProxyError: SourceUnavailable,
    aiohttp.ClientResponseError: SourceMisread,
    aiohttp.InvalidURL: SourceMisread,
    aiohttp.NonHttpUrlClientError: SourceMisread,
    aiohttp.RedirectClientError: SourceMisread,
    aiohttp.WSMessageTypeError: SourceMisread,
    http_exceptions.HttpProcessingError: SourceMisread,
    OpenApiException: SourceMisread,
    OSError: SourceUnavailable,
}
"""What each error of the libraries is to a caller; the nearest of its bases decides."""


class Gone(SourceUnavailable):
    """410: the version or the page that was asked for is no longer kept. List again."""


class NotServed(SourceMisread):
    """404: the server has no such resource."""


_REFUSALS: dict[int, type[SourceError]] = {
    HTTPStatus.UNAUTHORIZED: SourceRefused,
    HTTPStatus.FORBIDDEN: SourceRefused,
    HTTPStatus.NOT_FOUND: NotServed,
    HTTPStatus.REQUEST_TIMEOUT: SourceUnavailable,
    HTTPStatus.GONE: Gone,
    HTTPStatus.TOO_MANY_REQUESTS: SourceUnavailable,
}


class Answer:
    """An answer that is being read."""

    def __init__(self, response: aiohttp.ClientResponse, cluster: str) -> None:
        self._response = response
        self._cluster = cluster

    async def chunk(self) -> bytes:
        """The next bytes as they come; none at the end."""
        with _translated(self._cluster):
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

    async def read(self, path: str, query: Query = ()) -> bytes:
        """The whole of a JSON answer."""
        async with self.answer(path, query) as answer:
            return await answer.whole()

    @contextlib.asynccontextmanager
    async def answer(
        self, path: str, query: Query = (), *, within: float = _ANSWER_SECONDS
    ) -> AsyncIterator[Answer]:
        """A JSON answer of status 200, which must end within that many seconds; anything else is an error."""
        with _translated(self.cluster):
            client = await self._opened()
            response = await self._respond(client, path, query, within)
        try:
            if response.status != HTTPStatus.OK or response.content_type != "application/json":
                raise await self._refusal(client, path, response)
            yield Answer(response, self.cluster)
        finally:
            response.close()

    async def close(self) -> None:
        """End all connections; the next question opens new ones, with credentials read anew."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()  # type: ignore[no-untyped-call]  # has no types

    async def _opened(self) -> ApiClient:
        async with self._opening:
            if self._client is None:
                configuration = await configure(self._access)
                configuration.client_go_retries, configuration.retries = True, _RETRIES
                self._client = ApiClient(configuration)
                self._client.rest_client = _Rest(configuration)
                self._client.user_agent = "gpu-gateway"
            return self._client

    async def _respond(
        self, client: ApiClient, path: str, query: Query, within: float
    ) -> aiohttp.ClientResponse:
        request = await client.param_serialize(
            "GET",
            path,
            query_params=list(query),
            header_params={"Accept": "application/json"},
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
        with _translated(self.cluster):
            said = _said(await response.content.read(_LARGEST_REFUSAL), response)
        if response.status == HTTPStatus.UNAUTHORIZED:
            await self._distrust(client)
        return refusal(response.status, f"cluster {self.cluster}: {path}: {response.status} {said}")


def refusal(status: int, message: str) -> SourceError:
    """What a status is, that of an answer or the code of an ERROR in a watch."""
    if status in _REFUSALS:
        return _REFUSALS[status](System.KUBERNETES, message)
    kind = SourceUnavailable if status >= _SERVER_ERRORS else SourceMisread
    return kind(System.KUBERNETES, message)


class _Status(msgspec.Struct):
    message: str = ""


def _said(body: bytes, response: aiohttp.ClientResponse) -> str:
    try:
        message = msgspec.json.decode(body, type=_Status).message
    except (msgspec.MsgspecError, RecursionError):
        message = ""
    return message or f"{response.reason} ({response.content_type})"


@contextlib.contextmanager
def _translated(cluster: str) -> Iterator[None]:
    try:
        yield
    except ApiException as error:
        raise refusal(error.status or 0, f"cluster {cluster}: {error.status} {error.reason}") from error
    except tuple(TRANSLATION) as error:
        raise translate(error, cluster) from error


def translate(error: Exception, cluster: str) -> SourceError:
    """The same failure in the gateway's words."""
    known = next(TRANSLATION[base] for base in type(error).__mro__ if base in TRANSLATION)
    said = "no answer in time" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
    return known(System.KUBERNETES, f"cluster {cluster}: {said}")


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
