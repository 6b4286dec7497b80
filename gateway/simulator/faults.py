"""Faults of the wire, the same for every simulated server: a peer that is ill rather than unwilling."""

import asyncio
from collections.abc import Callable
from enum import Enum

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class WireFault(Enum):
    """How a connection goes wrong. That it is refused is the listener's: `Listener.stop`."""

    HUNG = "accepted, and never a word; an open stream goes mute for good"
    CUT = "half an answer, then the connection closes"
    GARBAGE = "200 application/json, and what follows is not JSON"


class _Cut(Exception):
    """The answer ends here."""


async def faulty(
    app: ASGIApp, fault: Callable[[], object], scope: Scope, receive: Receive, send: Send
) -> None:
    """Answer as the app does, but for the fault of the moment; an answer on its way is hit by it too."""
    if fault() is WireFault.HUNG:
        await _wait_until_gone(receive)
    elif fault() is WireFault.GARBAGE:
        await _send_garbage(send)
    else:
        try:
            await app(scope, receive, _faulty_send(fault, send))
        except _Cut:
            return  # without the end of the answer, so the server closes the connection


def _faulty_send(fault: Callable[[], object], send: Send) -> Send:
    async def sent(message: Message) -> None:
        if fault() is WireFault.HUNG:
            await asyncio.Event().wait()
        if fault() is WireFault.CUT and message.get("body"):
            half = message["body"][: len(message["body"]) // 2]
            await send({**message, "body": half, "more_body": True})
            raise _Cut
        await send(message)

    return sent


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send_garbage(send: Send) -> None:
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b'{"kind": <html>\xff\xfe\n'})
