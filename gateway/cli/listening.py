"""The socket and the server that answer HTTP until somebody says stop."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator

import uvicorn

from gateway.app import Application
from gateway.errors import Invalid

_BALANCER_SECONDS = 75
"""Keep-alive: longer than a load balancer's, so that it never sends into a connection that was closed."""
_DRAIN_SECONDS = 10
_STOPS = (signal.SIGINT, signal.SIGTERM)


def listen(host: str, port: int, setting: str = "--port, GPU_GATEWAY_PORT") -> socket.socket:
    """Take the address, before anything else is started; `setting` is what chooses the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named TCP, or asyncio leaves the algorithm of Nagle on and each answer waits 40 ms (Python 3.11).
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        why = error.strerror or error
        fix = f"stop what listens there, or choose another port ({setting})"
        raise Invalid(f"port {port} on {host} cannot be taken: {why}: {fix}") from None
    return listening


def url_of(listening: socket.socket) -> str:
    """Where the server answers."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def answer_until_told(
    app: Application, listening: socket.socket, ready: Callable[[], None] = lambda: None
) -> None:
    """Answer until SIGINT or SIGTERM; open requests are ended first, and a second SIGINT does not wait."""
    server = _Server(_config(app), ready)
    loop = asyncio.get_running_loop()
    for number in _STOPS:
        loop.add_signal_handler(number, server.handle_exit, number, None)
    try:
        await server.serve(sockets=[listening])
    except asyncio.CancelledError:
        if server.started:  # uvicorn 0.54 listens on when it is cancelled
            await server.shutdown([listening])
        raise
    finally:
        for number in _STOPS:
            loop.remove_signal_handler(number)


def _config(app: Application) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_BALANCER_SECONDS,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
    )


class _Server(uvicorn.Server):
    """Leaves signals to the loop: uvicorn 0.54 raises them again, and what surrounds it would die of it."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Nothing to capture."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()
