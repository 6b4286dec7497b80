"""One GET to slurmrestd: credentials, a deadline, a limit of bytes, and what its failures mean."""

import ssl
from types import TracebackType
from typing import NamedTuple, Self

import aiohttp

from gateway.errors import SourceError, SourceMisread, SourceUnavailable, System
from gateway.sources.slurm.access import SlurmAccess

MOST_BYTES = 256 * 2**20
"""About 30,000 jobs: v0.0.42 writes 7.8 KB for each."""
_CHUNK = 2**16

TRANSLATION: tuple[tuple[type[Exception], type[SourceError], str], ...] = (
    (TimeoutError, SourceUnavailable, "no answer in time"),
    (ssl.SSLError, SourceUnavailable, "no secure connection"),
    (aiohttp.ClientConnectionError, SourceUnavailable, "no connection"),
    (aiohttp.ClientPayloadError, SourceUnavailable, "the answer broke off"),
    (aiohttp.ClientResponseError, SourceMisread, "what answers does not speak HTTP"),
    (aiohttp.InvalidURL, SourceMisread, "not an address"),
    (OSError, SourceUnavailable, "no connection"),
    (aiohttp.ClientError, SourceMisread, "no exchange as HTTP knows it"),
)
"""What each way to fail means; the first row that fits decides."""


class Answer(NamedTuple):
    """What came back, not looked at yet."""

    source: str
    """Who was asked for what, as messages name it."""
    status: int
    body: bytes


class SlurmApi:
    """A connection to one slurmrestd, open while it is entered."""

    def __init__(self, access: SlurmAccess, *, most_bytes: int = MOST_BYTES) -> None:
        self.access = access
        self._most_bytes = most_bytes
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Open the session; nothing is sent yet."""
        socket = self.access.socket
        self._session = aiohttp.ClientSession(
            connector=aiohttp.UnixConnector(socket) if socket else None,
            timeout=aiohttp.ClientTimeout(total=self.access.deadline.total_seconds()),
            cookie_jar=aiohttp.DummyCookieJar(),
            # slurmrestd compresses nothing, so what is compressed is a proxy's: a bomb would unfold here.
            auto_decompress=False,
            headers={"Accept": "application/json", "Accept-Encoding": "identity"},
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        if self._session is not None:
            await self._session.close()

    async def get(self, path: str) -> Answer:
        """Ask once; every failure to get an answer is a SourceError."""
        if self._session is None:
            raise RuntimeError("SlurmApi is not open: enter it first")
        headers = self.access.headers()
        # A redirect would carry the token to wherever it points.
        request = self._session.get(self.access.base + path, headers=headers, allow_redirects=False)
        source = f"Slurm {self.access.name} ({self.access.url}{path})"
        try:
            async with request as response:
                return Answer(source, response.status, await self._body(response, source))
        except (aiohttp.ClientError, OSError) as error:
            raise translated(error, source) from error

    async def _body(self, response: aiohttp.ClientResponse, source: str) -> bytes:
        body = bytearray()
        async for chunk in response.content.iter_chunked(_CHUNK):
            body += chunk
            if len(body) > self._most_bytes:
                raise SourceMisread(System.SLURM, f"{source}: the answer is over {self._most_bytes} bytes")
        return bytes(body)


def translated(error: Exception, source: str) -> SourceError:
    """What a failed exchange means, in words that name who was asked."""
    meaning, text = meaning_of(type(error))
    return meaning(System.SLURM, f"{source}: {text}" + (f": {error}" if str(error) else ""))


def meaning_of(failure: type[Exception]) -> tuple[type[SourceError], str]:
    """What a way to fail means."""
    return next(row[1:] for row in TRANSLATION if issubclass(failure, row[0]))
