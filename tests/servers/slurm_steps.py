"""The processes of Slurm's jobs, which outlive the slurmd that started them."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def end_steps(root: Path) -> None:
    """Kill each job step that belongs to the Slurm in this folder, with what it runs."""
    for step in _steps(root):
        with suppress(ProcessLookupError, FileNotFoundError):
            for leader in (step / "task" / step.name / "children").read_text().split():
                os.killpg(os.getpgid(int(leader)), signal.SIGKILL)
            os.kill(int(step.name), signal.SIGKILL)


def _steps(root: Path) -> Iterator[Path]:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile, or is another user's
            if (process / "comm").read_text().strip() == "slurmstepd" and _holds(process, root):
                yield process


def _holds(process: Path, root: Path) -> bool:
    """Whether the process has a file of the folder open: no step's command line tells whose it is."""
    return any(file.readlink().is_relative_to(root) for file in (process / "fd").iterdir())
