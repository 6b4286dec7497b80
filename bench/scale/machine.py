"""What the figures were measured on."""

import os
import platform
import subprocess
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

_LIBRARIES = ("aiohttp", "graphql-core", "immutables", "msgspec", "strawberry-graphql", "uvicorn", "uvloop")


def machine() -> Iterator[str]:
    """One line each: hardware, system, versions."""
    yield f"{os.cpu_count()} cores of {_field('/proc/cpuinfo', 'model name')}, {_memory_gib():.0f} GiB"
    yield f"Linux {platform.release()}, Python {platform.python_version()}, gateway at commit {_commit()}"
    yield ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)


def company() -> str:
    """What else is at work, which shows in delays, and whether it must give way."""
    niceness = os.getpriority(os.PRIO_PROCESS, 0)
    return f"load average before it began: {os.getloadavg()[0]:.1f}; run with niceness {niceness}"


def _memory_gib() -> float:
    return int(_field("/proc/meminfo", "MemTotal").split()[0]) / 2**20


def _field(file: str, name: str) -> str:
    lines = Path(file).read_text().splitlines()
    return next(line.partition(":")[2].strip() for line in lines if line.startswith(name))


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    said = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  our own
    return said.stdout.strip() or "unknown"
