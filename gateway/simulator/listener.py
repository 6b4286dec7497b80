"""One ASGI app on a loopback port, in the event loop that is running."""

import asyncio
import socket
from types import TracebackType
from typing import Self

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

_LAST_WORDS_SECONDS = 1.0


class Listener:
    """Serves an app while it is started; once stopped its port refuses, and it can start there again.

    It takes uvicorn's HTTP protocol without uvicorn's server: that one is for a whole process, with its
    signals, its log and a tick ten times a second.
    """

    def __init__(self, app: ASGIApp, *, port: int = 0) -> None:
        self._config = uvicorn.Config(
            app,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=75,
        )
        self._config.load()
        self._port = port
        self._state = ServerState()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """Where the app answers."""
        return f"http://127.0.0.1:{self._port}"

    async def start(self) -> None:
        """Listen on the port, from the second start on the same one."""
        # Named TCP, or asyncio leaves Nagle's algorithm on and each answer waits 40 ms (Python 3.11).
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", self._port))
        self._port = listening.getsockname()[1]
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._protocol, sock=listening)

    async def stop(self) -> None:
        """Refuse new connections and drop those that are open."""
        if self._server is None:
            return
        self._server.close()
        self._server = None
        for connection in list(self._state.connections):
            connection.transport.abort()
        if self._state.tasks:
            await asyncio.wait(self._state.tasks, timeout=_LAST_WORDS_SECONDS)

    def _protocol(self) -> HttpToolsProtocol:
        return HttpToolsProtocol(config=self._config, server_state=self._state, app_state={})

    async def __aenter__(self) -> Self:
        """Start."""
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        await self.stop()
