"""A gate before an API server: writes to nodes wait there for as long as it is closed."""

import asyncio
from contextlib import suppress

import aiohttp

from tests.servers.faulty import Forward

_KEPT = {"authorization", "content-type", "accept"}


class Gate(Forward):
    """An ASGI app that passes on what it is asked, but holds back what would change a node."""

    def __init__(self, url: str, *, ca: str) -> None:
        super().__init__(url, ca=ca)
        self.held = asyncio.Event()
        """Something waits."""
        self.statuses: list[int] = []
        """How the server answered what had waited."""
        self._open = asyncio.Event()

    def open(self) -> None:
        """Let everything through."""
        self._open.set()

    async def __call__(self, scope, receive, send) -> None:
        body = await _body(receive)
        waits = scope["method"] == "PATCH" and scope["path"].startswith("/api/v1/nodes/")
        if waits and not self._open.is_set():
            self.held.set()
            await self._open.wait()
        path = scope["path"] + (f"?{query}" if (query := scope["query_string"].decode()) else "")
        headers = {
            name.decode(): value.decode() for name, value in scope["headers"] if name.decode() in _KEPT
        }
        assert self._session is not None
        with suppress(aiohttp.ClientError, TimeoutError):
            async with self._session.request(
                scope["method"], path, headers=headers, data=body or None
            ) as answer:
                if waits:
                    self.statuses.append(answer.status)
                await self._stream(scope["path"], answer, send)


async def _body(receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)
