"""Keeps one PostgreSQL for whoever holds the other end of its standard input, and leaves nothing behind.

A program of its own, of the standard library only, so that the server ends with its user however that one
ends: the pipe closes, a killed process's too. It says one line, {"port": n} or {"failed": text}.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_NOBODY = 65534
_ROOT = os.geteuid() == 0
_START_SECONDS = 30.0
_STOP_SECONDS = 10.0
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


def main(package: Path) -> int:
    """Serve until standard input ends."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    directory = Path(tempfile.mkdtemp(prefix="gpu-gateway-postgres-", dir=_folder()))
    try:
        server, port = _start(programs(package, directory), directory)
        try:
            _say({"port": port})
            sys.stdin.buffer.read()
        finally:
            _stop(server)
    except (OSError, RuntimeError) as error:
        _say({"failed": str(error)})
        return 1
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    return 0


def _folder() -> str:
    """A folder for temporary files that the unprivileged user may pass through, where one is needed."""
    for folder in (tempfile.gettempdir(), "/tmp", "/var/tmp"):  # noqa: S108  (mkdtemp makes a folder inside)
        path = Path(folder).resolve()
        if path.is_dir() and (not _ROOT or all(at.stat().st_mode & 1 for at in (path, *path.parents))):
            return folder
    raise RuntimeError("no folder for temporary files can be entered by an unprivileged user: set TMPDIR")


def programs(package: Path, directory: Path) -> Path:
    """Where initdb and postgres lie; PostgreSQL refuses root, so root copies them for another user.

    The package may lie below a home that nobody else may enter, and no folder's rights are changed for it.
    """
    if not _ROOT:
        return package / "pginstall/bin"
    copy = directory / package.name / "pginstall"
    unused = shutil.ignore_patterns("include", "doc", "pgxs", "*.a")
    shutil.copytree(package / "pginstall", copy, ignore=unused, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")  # found by a path relative to the programs (18.6.3)
    if libraries.exists():
        shutil.copytree(libraries, directory / libraries.name)
    for path in (directory, *directory.rglob("*")):
        os.chown(path, _NOBODY, _NOBODY, follow_symlinks=False)
    return copy / "bin"


def _start(programs: Path, directory: Path) -> tuple[subprocess.Popen[bytes], int]:
    data = directory / "data"
    options = ("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
    made = _popen([programs / "initdb", "-D", data, *options], stdout=subprocess.PIPE)
    said, _ = made.communicate(timeout=_START_SECONDS)
    if made.returncode:
        raise RuntimeError(f"initdb failed: {said.decode(errors='replace').strip()}")
    port = _free_port()
    # Loopback only, and no socket file: its path would be limited to some hundred bytes.
    where = ("-p", str(port), "-h", "127.0.0.1", "-k", "")
    log = directory / "log"
    with log.open("wb") as stdout:
        server = _popen([programs / "postgres", "-D", data, *where, "-F"], stdout=stdout)
    if not _ready(server, data / "postmaster.pid"):
        _stop(server)
        raise RuntimeError(f"postgres did not start: {log.read_text(errors='replace').strip()}")
    return server, port


def _popen(command: list[str | Path], stdout: object) -> subprocess.Popen[bytes]:
    user = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if _ROOT else {}
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]  # noqa: S603  (keywords by user; own programs)
        command,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.STDOUT,
        cwd="/",
        env=_ENVIRONMENT,
        **user,
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _ready(server: subprocess.Popen[bytes], pid_file: Path) -> bool:
    """Whether the server wrote `ready` as the last line of its pid file, as pg_ctl waits for it."""
    deadline = time.monotonic() + _START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        if pid_file.exists() and pid_file.read_text().rstrip().endswith("ready"):
            return True
        time.sleep(0.02)
    return False


def _stop(server: subprocess.Popen[bytes]) -> None:
    """Ask for the fast stop, that ends the connections that are open; then insist."""
    server.send_signal(signal.SIGINT)
    try:
        server.wait(timeout=_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _say(word: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(word) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
