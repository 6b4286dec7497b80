"""What a network does to a server: silence and cut connections, without a word to the server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

from tests.servers.process import free_ports


class Proxy:
    """The way to a server, which can be muted or cut; `url` is the server's, by this way."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        (self._port,) = free_ports(1)
        user, at, host = parts.netloc.rpartition("@")
        self.url = parts._replace(netloc=f"{user}{at}{host.partition(':')[0]}:{self._port}").geturl()
        self._target = parts.port
        self._flows = asyncio.Event()
        self._flows.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    def lead_to(self, url: str) -> None:
        """Connections that are made from now on reach this server, as where an address is taken over."""
        self._target = urlsplit(url).port

    def mute(self) -> None:
        """Pass nothing on: connections are taken and stay open, and nobody hears anything."""
        self._flows.clear()

    async def cut(self) -> None:
        """Close every connection, and refuse new ones."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in list(self._writers):
            self._close(writer)
        self._flows.set()

    async def restore(self) -> None:
        """Let everything pass again, what was held back while muted too."""
        self._flows.set()
        if self._server is None:
            self._server = await asyncio.start_server(self._join, "127.0.0.1", self._port)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            with suppress(OSError):
                await self._flows.wait()
                far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
                self._writers.add(far_writer)
                await asyncio.gather(self._pass(reader, far_writer), self._answers(far_reader, writer))
        finally:
            self._close(writer)

    async def _answers(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """What the server says, on its way back."""
        await self._pass(reader, writer)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(OSError):
                while data := await reader.read(65_536):
                    await self._flows.wait()
                    writer.write(data)
                    await writer.drain()
        finally:
            self._close(writer)

    def _close(self, writer: asyncio.StreamWriter) -> None:
        self._writers.discard(writer)
        writer.close()


@asynccontextmanager
async def proxy_to(url: str) -> AsyncIterator[Proxy]:
    """A way to the server at this address, cut afterwards."""
    proxy = Proxy(url)
    await proxy.restore()
    try:
        yield proxy
    finally:
        await proxy.cut()
