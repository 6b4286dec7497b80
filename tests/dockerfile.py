"""A Dockerfile carried out in an empty folder: its copies and commands, on this machine's programs."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_MACHINE = ("/usr/local/bin", "/usr/bin", "/bin")
_OURS = re.compile(r"(?<![\w./-])/(?=(opt|src)\b)")
"""Where a path begins that the Dockerfile makes."""
_SECONDS = 300


class StepFailed(Exception):
    """A command of the Dockerfile failed; the message is what it said."""


class Image:
    """What a Dockerfile makes: a root, and what is started in it.

    Every stage is made at the same place and then moved aside, as paths are the same in every stage.
    """

    def __init__(self, context: Path, folder: Path) -> None:
        self.root = folder / "root"
        self.environment: dict[str, str] = {}
        self.user = "root"
        self.command: list[str] = []
        self._context = context
        self._folder = folder
        self._stage = ""
        self._here = self.root
        for keyword, arguments in _instructions(context / "Dockerfile"):
            getattr(self, f"_{keyword.lower()}")(arguments)

    def _from(self, arguments: str) -> None:
        if self._stage:
            self.root.rename(self._folder / self._stage)
        self._stage = arguments.partition(" AS ")[2] or "last"
        self._here = self.root
        self.environment = {"PATH": ":".join(_MACHINE)}
        self.root.mkdir()

    def _workdir(self, arguments: str) -> None:
        self._here = self._inside(arguments)
        self._here.mkdir(parents=True)

    def _copy(self, arguments: str) -> None:
        *sources, target = arguments.split()
        base, ignored = self._context, _ignored(self._context)
        if sources[0].startswith("--from="):
            stage = sources.pop(0).removeprefix("--from=")
            base, ignored = self._folder / stage, shutil.ignore_patterns()
        for source in sources:
            found, place = base / source.lstrip("/"), self._inside(target)
            if found.is_dir():
                shutil.copytree(found, place, ignore=ignored, symlinks=True, dirs_exist_ok=True)
            else:
                place.mkdir(parents=True, exist_ok=True)
                shutil.copy2(found, place)

    def _run(self, arguments: str) -> None:
        done = subprocess.run(  # noqa: S602  a shell is what RUN means
            self._moved(arguments),
            shell=True,
            cwd=self._here,
            env=_with_tools(),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        if done.returncode:
            raise StepFailed(f"RUN {arguments}: {done.stderr}")

    def _env(self, arguments: str) -> None:
        for assignment in shlex.split(arguments):
            name, _, value = assignment.partition("=")
            self.environment[name] = self._moved(value).replace("$PATH", self.environment["PATH"])

    def _user(self, arguments: str) -> None:
        self.user = arguments

    def _entrypoint(self, arguments: str) -> None:
        self.command = json.loads(arguments)

    def _cmd(self, arguments: str) -> None:
        self.command += json.loads(arguments)

    def _expose(self, arguments: str) -> None:
        """Changes nothing."""

    def _inside(self, path: str) -> Path:
        return self.root / path.lstrip("/") if path.startswith("/") else self._here / path

    def _moved(self, text: str) -> str:
        return _OURS.sub(f"{self.root}/", text)


def _instructions(file: Path) -> Iterator[tuple[str, str]]:
    for line in file.read_text().replace("\\\n", "").splitlines():
        if line and not line.startswith("#"):
            keyword, _, arguments = line.partition(" ")
            yield keyword, arguments


def _ignored(context: Path):
    patterns = (context / ".dockerignore").read_text().split()
    return shutil.ignore_patterns(*(pattern.removeprefix("**/") for pattern in patterns))


def _with_tools() -> dict[str, str]:
    """This process's environment, with Python and npm on the PATH as the images have them."""
    mine = os.environ  # noqa: TID251 - a child's
    return {**mine, "PATH": f"{Path(sys.executable).parent}:{mine['PATH']}"}
