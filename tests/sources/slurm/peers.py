"""Peers that answer in ways that no slurmrestd should."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

Answering = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def peer(answering: Answering) -> AsyncIterator[str]:
    """The address of a server that hands each request, read to its blank line, to this function."""
    running: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        running.add(task)
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await answering(await reader.readuntil(b"\r\n\r\n"), writer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield "http://127.0.0.1:{1}".format(*server.sockets[0].getsockname())
    finally:
        server.close()
        for task in running:
            task.cancel()
        await asyncio.gather(*running)


def saying(raw: bytes) -> Answering:
    """Send these bytes and close."""

    async def answer(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(raw)
        await writer.drain()

    return answer


def ok(body: bytes, *headers: str, status: str = "200 OK") -> Answering:
    """Send this body with its length."""
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""])
    return saying(head.encode() + body)


async def drip(_: bytes, writer: asyncio.StreamWriter) -> None:
    """Send one byte after the other, for ever."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.01)


async def mute(_: bytes, __: asyncio.StreamWriter) -> None:
    """Take the question, and say nothing."""
    await asyncio.Event().wait()
