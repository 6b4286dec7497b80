"""A real server as a process of the test run: started, asked whether it is ready, made silent, ended."""

import asyncio
import secrets
import shutil
import signal
import socket
import subprocess
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path


class NotReady(Exception):
    """A server did not start; the message ends with what it logged last."""


class Process:
    """One server's process, in a session of its own, which ends with the test run even if that is killed."""

    def __init__(
        self, name: str, command: Sequence[str | Path], *, folder: Path, user: str | None = None
    ) -> None:
        self.name = name
        self.log = folder / f"{name}.log"
        as_user = (f"--reuid={user}", f"--regid={user}", "--clear-groups") if user else ()
        self._command = [str(part) for part in ("setpriv", "--pdeathsig=KILL", *as_user, *command)]
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process's number while it runs."""
        if self._running is None or self._running.poll() is not None:
            raise ProcessLookupError(f"{self.name} is not running; {self.log} says why")
        return self._running.pid

    @property
    def status(self) -> int | None:
        """How it ended, where it did."""
        return None if self._running is None else self._running.poll()

    def start(self) -> None:
        """Run the command and log what it says; the kernel ends it with the thread that calls this."""
        with self.log.open("ab") as log:
            self._running = subprocess.Popen(  # noqa: S603  the command is the tests' own
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd="/",
                start_new_session=True,
            )

    async def ready(self, question: Callable[[], Awaitable[bool]], *, within: float = 30) -> None:
        """Return once the question is answered with yes; its OSErrors mean no."""
        try:
            async with asyncio.timeout(within):
                while not await self._says_yes(question):  # noqa: ASYNC110  another process sets no event
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise NotReady(f"{self.name} was not ready in {within:.0f} s:\n{self.log_tail()}") from None

    async def _says_yes(self, question: Callable[[], Awaitable[bool]]) -> bool:
        if not self._lives():
            raise NotReady(f"{self.name} ended at once:\n{self.log_tail()}")
        try:
            return await question()
        except OSError:
            return False

    def pause(self) -> None:
        """Stop the process as it stands: connections stay open and nothing answers."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a paused process go on."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """End the process without a word to anybody."""
        self._signal(signal.SIGKILL)
        if self._running is not None:
            self._running.wait(timeout=10)

    async def stop(self, first: signal.Signals = signal.SIGTERM, *, patience: float = 5) -> None:
        """End the process: by asking, and after some seconds by force."""
        self._signal(first)
        self.resume()
        try:
            async with asyncio.timeout(patience):
                while self._lives():  # noqa: ASYNC110  another process sets no event
                    await asyncio.sleep(0.02)
        except TimeoutError:
            self.kill()

    def _lives(self) -> bool:
        return self._running is not None and self._running.poll() is None

    def _signal(self, number: signal.Signals) -> None:
        if self._running is not None and self._lives():
            self._running.send_signal(number)

    def log_tail(self, lines: int = 15) -> str:
        """The last lines that the server wrote."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


def program(name: str) -> Path | None:
    """Where a program of the machine is; daemons are found although users' PATH leaves them out."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    return Path(found) if found else None


def free_ports(count: int) -> list[int]:
    """Different ports of loopback on which nothing listens."""
    found: set[int] = set()
    while len(found) < count:
        # Below the range from which the kernel takes ports for connections: a client that keeps dialling
        # a stopped server from within that range can end up connected to itself, and holds the port.
        port = 20_000 + secrets.randbelow(12_000)
        if _is_free(port):
            found.add(port)
    return sorted(found)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


async def accepts(port: int) -> bool:
    """Whether something takes connections on this port of loopback."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.close()
    await writer.wait_closed()
    return True
