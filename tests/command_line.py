"""gpu-gateway as people run it: a process of its own, with an environment that the test writes."""

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

_PATIENCE_SECONDS = 60
_URL = re.compile(rb"(http://\S+)/(?:graphql|healthz)")


class Ended(NamedTuple):
    status: int | None
    out: str
    err: str


async def run(*arguments: object, **settings: str) -> Ended:
    """Run a command to its end."""
    process = await _start(*arguments, **settings)
    return await _ended(process)


class Running:
    """A command that serves until it is told to stop."""

    def __init__(self, process: Process, url: str) -> None:
        self.url = url
        self._process = process

    async def stop(self, number: signal.Signals) -> Ended:
        """Send a signal and see how it ends."""
        self._process.send_signal(number)
        return await _ended(self._process)


@asynccontextmanager
async def serving(*arguments: object, **settings: str) -> AsyncIterator[Running]:
    """Run a command that says where it serves."""
    async with _served(await _start(*arguments, **settings)) as running:
        yield running


@asynccontextmanager
async def serving_command(
    command: Sequence[str], environment: Mapping[str, str], folder: Path
) -> AsyncIterator[Running]:
    """The same for a gateway that is installed elsewhere."""
    process = await asyncio.create_subprocess_exec(
        *command, env=environment, cwd=folder, stdout=PIPE, stderr=PIPE
    )
    async with _served(process) as running:
        yield running


@asynccontextmanager
async def _served(process: Process) -> AsyncIterator[Running]:
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            yield Running(process, await _url(process))
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def _start(*arguments: object, **settings: str) -> Process:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GPU_GATEWAY_")}  # noqa: TID251 - a child's
    command = (sys.executable, "-m", "gateway", *map(str, arguments))
    return await asyncio.create_subprocess_exec(*command, env={**kept, **settings}, stdout=PIPE, stderr=PIPE)


async def _url(process: Process) -> str:
    while process.stdout and (line := await process.stdout.readline()):
        if found := _URL.search(line):
            return found[1].decode()
    out, err = await process.communicate()
    raise AssertionError(f"it does not serve: {process.returncode} {out!r} {err!r}")


async def _ended(process: Process) -> Ended:
    async with asyncio.timeout(_PATIENCE_SECONDS):
        out, err = await process.communicate()
    return Ended(process.returncode, out.decode(), err.decode())
