"""A primary PostgreSQL and the standby that follows it: servers that stop, start, and are cloned."""

import asyncio
import os
import shutil
import signal
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import asyncpg

from gateway.simulator.embedded_postgres import installed
from gateway.simulator.postgres_keeper import programs
from tests.servers.process import Process, free_ports

# PostgreSQL refuses root.
_USER = "65534" if os.geteuid() == 0 else None
_REPLAYED = "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn"


class Server:
    """One server, whose data and address outlast its stops."""

    def __init__(self, folder: Path, binaries: Path, name: str) -> None:
        (self.port,) = free_ports(1)
        self.address = f"127.0.0.1:{self.port}"
        self.dsn = f"postgresql://postgres@{self.address}/postgres"
        self._data = folder / name
        self._binaries = binaries
        where = ("-p", str(self.port), "-h", "127.0.0.1", "-k", "")
        command = (binaries / "postgres", "-D", self._data, *where, "-F")
        self.process = Process(name, command, folder=folder, user=_USER)

    async def create(self) -> None:
        """Make a database cluster of its own."""
        options = ("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        await self._call("initdb", "-D", self._data, *options)

    async def clone(self, primary: "Server") -> None:
        """Become a standby of that server, in place of whatever was here."""
        shutil.rmtree(self._data, ignore_errors=True)
        await self._call(
            "pg_basebackup", "-D", self._data, "-d", primary.dsn, "-R", "-c", "fast", "--no-sync"
        )

    async def start(self) -> None:
        """Run, and return once questions are answered."""
        self.process.start()
        await self.process.ready(self._answers)

    async def stop(self) -> None:
        """The fast stop, that ends the connections which are open."""
        await self.process.stop(signal.SIGINT, patience=20)

    async def ask(self, question: str, *values: object) -> object:
        """One value."""
        connection = await asyncpg.connect(self.dsn, timeout=5, command_timeout=30)
        try:
            return await connection.fetchval(question, *values)
        finally:
            connection.terminate()

    async def _answers(self) -> bool:
        try:
            return await self.ask("SELECT true") is True
        except asyncpg.CannotConnectNowError:
            return False

    async def _call(self, program: str, *arguments: str | Path) -> None:
        user = ("setpriv", f"--reuid={_USER}", f"--regid={_USER}", "--clear-groups") if _USER else ()
        called = await asyncio.create_subprocess_exec(
            *user, self._binaries / program, *arguments, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT, cwd="/"
        )
        async with asyncio.timeout(60):
            said, _ = await called.communicate()
        assert called.returncode == 0, f"{program} failed: {said.decode()}"


class Pair(NamedTuple):
    """Two servers of the same records."""

    primary: Server
    standby: Server

    @property
    def dsn(self) -> str:
        """Both, the standby first."""
        return f"postgresql://postgres@{self.standby.address},{self.primary.address}/postgres"

    async def in_step(self) -> None:
        """Return once the standby has all that the primary has now."""
        written = await self.primary.ask("SELECT pg_current_wal_lsn()::text")
        async with asyncio.timeout(20):
            while not await self.standby.ask(_REPLAYED, written):  # noqa: ASYNC110  another process sets no event
                await asyncio.sleep(0.05)


@asynccontextmanager
async def running_pair() -> AsyncIterator[Pair]:
    """A primary and the standby that follows it, gone afterwards with all their data."""
    with tempfile.TemporaryDirectory(prefix="gpu-gateway-pair-") as name:
        folder = Path(name)
        binaries = programs(installed(), folder)
        pair = Pair(*(Server(folder, binaries, name) for name in ("primary", "standby")))
        try:
            await pair.primary.create()
            await pair.primary.start()
            await pair.standby.clone(pair.primary)
            await pair.standby.start()
            yield pair
        finally:
            for server in pair:
                await server.process.stop(signal.SIGQUIT)
