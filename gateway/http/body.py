"""A request's body, read within bounds of size and time."""

import asyncio

from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope

from gateway.http.limits import Limits
from gateway.http.refusal import Refusal

# What is left of the body is not read, so the connection cannot serve another request.
_CLOSE = {"connection": "close"}


async def read_body(scope: Scope, receive: Receive, limits: Limits) -> bytes:
    """The whole body, or a refusal: 413 where it is too large, 408 where it is too slow."""
    if _declared_length(scope) > limits.max_body_bytes:
        raise _too_large(limits)
    try:
        async with asyncio.timeout(limits.body_seconds):
            return await _read(receive, limits)
    except TimeoutError:
        message = f"the body did not arrive within {limits.body_seconds:g} s"
        raise Refusal(408, message, headers=_CLOSE) from None


async def _read(receive: Receive, limits: Limits) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        if len(body) > limits.max_body_bytes:
            raise _too_large(limits)
        if not message.get("more_body", False):
            return bytes(body)


def _declared_length(scope: Scope) -> int:
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0


def _too_large(limits: Limits) -> Refusal:
    return Refusal(413, f"the body is larger than {limits.max_body_bytes} bytes", headers=_CLOSE)
