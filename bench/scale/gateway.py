"""The gateway in a process of its own, on one core, and what the kernel says that it costs."""

import asyncio
import contextlib
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import aiohttp

CLUSTER = "bench"
_PATIENCE = 60.0
_ENDPOINT = "/graphql"
_SETTINGS = """port = 0
log_level = "error"
[[clusters]]
name = "{cluster}"
url = "{url}"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Resident memory in MiB."""

    now: float
    peak: float


class Gateway:
    """One running gateway."""

    def __init__(
        self, process: subprocess.Popen[bytes], url: str, session: aiohttp.ClientSession, started: float
    ) -> None:
        self.started = started
        """When, by perf_counter."""
        self._process = process
        self._url = url
        self._session = session

    async def ask(self, query: str, **variables: object) -> Any:  # noqa: ANN401  JSON
        """The data of an answer."""
        question = {"query": query, "variables": variables}
        async with self._session.post(self._url + _ENDPOINT, json=question) as response:
            answer = await response.json(content_type=None)
        if answer.get("errors"):
            raise RuntimeError(f"the gateway answers {answer['errors'][0]}")
        return answer["data"]

    @property
    def cpu_seconds(self) -> float:
        """CPU time of all its threads until now."""
        tasks = Path(f"/proc/{self._process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    @property
    def memory(self) -> Memory:
        """What it takes now, and the most that it took."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        sizes = dict(line.split(":", 1) for line in lines)
        now, peak = (int(sizes[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
        return Memory(now=now, peak=peak)


@contextlib.asynccontextmanager
async def running(upstream: str, folder: Path, core: int) -> AsyncIterator[Gateway]:
    """A gateway that reads one API server; it is ended with the context."""
    settings = folder / "gateway.toml"
    settings.write_text(_SETTINGS.format(cluster=CLUSTER, url=upstream))
    started = perf_counter()
    process = subprocess.Popen(  # noqa: ASYNC220, S603  it returns at once, and the command is our own
        ["taskset", "--cpu-list", str(core), sys.executable, "-m", "gateway", "serve"],  # noqa: S607  util-linux
        env={"GPU_GATEWAY_CONFIG": str(settings)},
        stdout=subprocess.PIPE,
    )
    try:
        url = await asyncio.to_thread(_url, process)
        timeout = aiohttp.ClientTimeout(total=_PATIENCE)
        async with aiohttp.ClientSession(timeout=timeout) as session:
            yield Gateway(process, url, session, started)
    finally:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
        process.kill()


def _url(process: subprocess.Popen[bytes]) -> str:
    """Where it says that it answers."""
    line = process.stdout.readline().decode() if process.stdout else ""
    _, found, rest = line.partition("GraphQL at ")
    if not found:
        raise RuntimeError(f"the gateway did not start: {line!r}")
    return rest.split(_ENDPOINT)[0]
