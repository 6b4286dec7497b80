"""One ASGI app on a loopback port, in the event loop that is running."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import uvicorn
from starlette.types import ASGIApp


class _Server(uvicorn.Server):
    """A server that leaves the signals to the program it is part of."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Listener:
    """Serves an app while it is started; once stopped its port refuses, and it can start there again."""

    def __init__(self, app: ASGIApp, *, port: int = 0) -> None:
        self._config = uvicorn.Config(
            app,
            http="httptools",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=1,
        )
        self._port = port
        self._server: _Server | None = None
        self._serving: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where the app answers."""
        return f"http://127.0.0.1:{self._port}"

    async def start(self) -> None:
        """Listen; connections are taken from here on, answered as soon as the loop turns."""
        # Named TCP, or asyncio leaves Nagle's algorithm on and each answer waits 40 ms (Python 3.11).
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", self._port))
        listening.listen(128)
        self._port = listening.getsockname()[1]
        self._server = _Server(self._config)
        self._serving = asyncio.create_task(self._server.serve(sockets=[listening]))

    async def stop(self) -> None:
        """Refuse new connections and drop those that are open."""
        if self._server is None or self._serving is None:
            return
        self._server.should_exit = True
        for connection in list(self._server.server_state.connections):
            connection.transport.abort()
        await self._serving
        self._server = self._serving = None

    async def __aenter__(self) -> Self:
        """Start."""
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        await self.stop()
