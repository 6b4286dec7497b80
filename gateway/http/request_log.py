"""Each request under an id of its own, and one line of the log for it."""

import logging
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.telemetry import REQUEST_ID, request_id

_LOG = logging.getLogger(__name__)
_QUIET = {"/healthz", "/readyz", "/metrics"}


async def internal_error(_: Request, __: Exception) -> Response:
    """What a caller sees of a failure outside of execution."""
    request = REQUEST_ID.get()
    error = {
        "message": f"internal error: the gateway's log has it under request id {request}",
        "extensions": {"code": "INTERNAL", "requestId": request},
    }
    return JSONResponse({"errors": [error]}, 500)


class RequestLog:
    """Wraps an application; a query string is never logged, since it may hold what nobody should read."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer under an id: the caller's X-Request-Id where it is sane, else a new one."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        line = _Line(scope, send)
        token = REQUEST_ID.set(line.request_id)
        try:
            await self._app(scope, receive, line.send)
        except Exception:  # noqa: BLE001 - the last place that can log it under the request's id
            _LOG.exception("nobody foresaw this")
        finally:
            line.write()
            REQUEST_ID.reset(token)


class _Line:
    """What is known of one request when it ends."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.request_id = request_id(Headers(scope=scope).get("x-request-id"))
        self._scope = scope
        self._send = send
        self._status: int | None = None
        self._started = perf_counter()

    async def send(self, message: Message) -> None:
        """Pass a message on; the first one gets the request's id."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            MutableHeaders(scope=message)["x-request-id"] = self.request_id
        await self._send(message)

    def write(self) -> None:
        """Write the line."""
        fields = {
            "method": self._scope["method"],
            "path": self._scope["path"],
            "status": self._status,
            "seconds": round(perf_counter() - self._started, 6),
        }
        level = logging.DEBUG if self._scope["path"] in _QUIET else logging.INFO
        _LOG.log(level, "request", extra={"fields": fields})
