"""Ways to a server that can go wrong: as a network does, and as what stands before a server does."""

import asyncio
import json
import ssl
from contextlib import suppress
from enum import Enum
from typing import Self

import aiohttp

from tests.servers.proxy import Proxy

GARBAGE = b'HTTP-ish {"kind": <html>\xff\xfe\n'
_HOP_BY_HOP = {"connection", "content-encoding", "content-length", "transfer-encoding", "host", "date"}


class FaultyWay(Proxy):
    """A way over which a server's bytes can be lost, too few, or somebody else's."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._most: int | None = None
        self._garbage = False

    def strand(self) -> None:
        """Open connections hear nothing more and are not told; new ones are refused."""
        self.mute()
        if self._server is not None:
            self._server.close()
            self._server = None

    async def cut_after(self, most: int) -> None:
        """Every connection breaks after so many bytes of what the server says."""
        await self._begin(most=most)

    async def babble(self) -> None:
        """The server's bytes are replaced by such as no protocol knows."""
        await self._begin(garbage=True)

    async def restore(self) -> None:
        """Let everything pass as it is."""
        self._most, self._garbage = None, False
        await super().restore()

    async def _begin(self, *, most: int | None = None, garbage: bool = False) -> None:
        self._most, self._garbage = most, garbage
        await self.cut()
        await super().restore()

    async def _answers(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._most is None and not self._garbage:
            await super()._answers(reader, writer)
            return
        left = self._most or 0
        with suppress(OSError):
            if self._garbage:
                writer.write(GARBAGE)
            while left and (data := await reader.read(left)):
                left -= len(data)
                writer.write(data)
            await writer.drain()
        self._close(writer)


class Fault(Enum):
    """How an answer over HTTP goes wrong."""

    HUNG = "the question is taken, and never a word; an open stream goes mute"
    RESET = "half an answer, then the connection breaks"
    GARBAGE = "200, and what follows is not JSON"
    ERROR_INSIDE = "200, and what follows is an error"
    HALF = "half an answer, and an end as if it were whole"


class Forward:
    """An ASGI app that answers as a server does, but for the faults of the moment."""

    def __init__(self, url: str, *, ca: str | None = None, error: object = None) -> None:
        """`error` is what the server would say under status 200 where it failed."""
        self._url = url
        self._context = ssl.create_default_context(cafile=ca) if ca else None
        self._error = error
        self._session: aiohttp.ClientSession | None = None
        self._fault: Fault | None = None
        self._prefixes: tuple[str, ...] = ()
        self._mended = asyncio.Event()

    async def __aenter__(self) -> Self:
        connector = aiohttp.TCPConnector(ssl=self._context or True, limit=0)
        self._session = aiohttp.ClientSession(self._url, connector=connector, auto_decompress=True)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.restore()
        if self._session is not None:
            await self._session.close()

    def fail(self, fault: Fault, *prefixes: str) -> None:
        """Answer like this where the path begins so."""
        self._fault, self._prefixes = fault, prefixes
        self._mended.clear()

    def restore(self) -> None:
        """Answer as the server does; whoever was kept waiting gets an answer now."""
        self._fault = None
        self._mended.set()

    async def __call__(self, scope, receive, send) -> None:  # noqa: ARG002  ASGI gives it
        path = scope["path"]
        if self._hit(path) is Fault.HUNG:
            await self._mended.wait()
        watched = b"watch=true" in scope["query_string"]
        fault = self._hit(path)
        if fault in {Fault.GARBAGE, Fault.ERROR_INSIDE}:
            await _whole(send, GARBAGE if fault is Fault.GARBAGE else self._said(watched=watched))
        elif fault is not None and watched:
            await _half(send, b'{"type": "MODIFIED", "object": {"kind": ', ends=fault is Fault.HALF)
        else:
            await self._pass_on(scope, send)

    def _hit(self, path: str) -> Fault | None:
        return self._fault if path.startswith(self._prefixes or "/") else None

    def _said(self, *, watched: bool) -> bytes:
        said = {"type": "ERROR", "object": self._error} if watched else self._error
        return json.dumps(said).encode() + b"\n"

    async def _pass_on(self, scope, send) -> None:
        query = scope["query_string"].decode()
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        headers = {name: value for name, value in headers.items() if name not in _HOP_BY_HOP}
        path = scope["path"] + (f"?{query}" if query else "")
        with suppress(aiohttp.ClientError, TimeoutError):
            async with self._session.get(path, headers=headers) as answer:
                await self._stream(scope["path"], answer, send)

    async def _stream(self, path, answer, send) -> None:
        if fault := self._hit(path):
            await _half(send, await _first_half(answer), ends=fault is Fault.HALF)
            return
        await send({"type": "http.response.start", "status": answer.status, "headers": _headers(answer)})
        async for chunk in answer.content.iter_any():
            await self._flows(path)
            if self._hit(path):
                return  # without the end of the answer, so the connection breaks
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await self._flows(path)
        if not self._hit(path):
            await send({"type": "http.response.body", "body": b""})

    async def _flows(self, path: str) -> None:
        if self._hit(path) is Fault.HUNG:
            await self._mended.wait()


async def _first_half(answer: aiohttp.ClientResponse) -> bytes:
    body = await answer.read()
    return body[: len(body) // 2]


def _headers(answer: aiohttp.ClientResponse) -> list[tuple[bytes, bytes]]:
    kept = ((name.lower(), value) for name, value in answer.headers.items())
    return [(name.encode(), value.encode()) for name, value in kept if name not in _HOP_BY_HOP]


_JSON = [(b"content-type", b"application/json")]


async def _whole(send, body: bytes) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _JSON})
    await send({"type": "http.response.body", "body": body})


async def _half(send, body: bytes, *, ends: bool) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _JSON})
    await send({"type": "http.response.body", "body": body, "more_body": not ends})
