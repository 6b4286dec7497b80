"""A way to the database that can be cut, or go mute with every connection left open."""

import asyncio
from contextlib import asynccontextmanager
from urllib.parse import urlsplit


class Proxy:
    def __init__(self, dsn):
        self._there = urlsplit(dsn)
        self.dsn = dsn
        self.holds_something = asyncio.Event()
        self._open = asyncio.Event()
        self._open.set()
        self._ways = set()

    def stall(self):
        """From now on nothing is passed on, and nothing is closed."""
        self._open.clear()

    def resume(self):
        """New connections are served again; those that stalled are gone, as after a fallen link."""
        self._cut()
        self._open.set()

    def _cut(self):
        for way in self._ways:
            way.cancel()

    async def accept(self, reader, writer):
        way = asyncio.current_task()
        self._ways.add(way)
        try:
            await self._open.wait()
            far_reader, far_writer = await asyncio.open_connection(self._there.hostname, self._there.port)
            try:
                async with asyncio.TaskGroup() as both:
                    both.create_task(self._pass_on(reader, far_writer))
                    both.create_task(self._pass_on(far_reader, writer))
            finally:
                far_writer.close()
        except (asyncio.CancelledError, ExceptionGroup, OSError):
            pass
        finally:
            self._ways.discard(way)
            writer.close()

    async def _pass_on(self, reader, writer):
        while data := await reader.read(65536):
            if not self._open.is_set():
                self.holds_something.set()
            await self._open.wait()
            writer.write(data)
            await writer.drain()
        raise ConnectionError("one side is done")


@asynccontextmanager
async def proxy_to(dsn):
    """A proxy whose own DSN leads to that database."""
    proxy = Proxy(dsn)
    server = await asyncio.start_server(proxy.accept, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    proxy.dsn = urlsplit(dsn)._replace(netloc=f"postgres@127.0.0.1:{port}").geturl()
    try:
        yield proxy
    finally:
        server.close()
        proxy.resume()
        await server.wait_closed()
