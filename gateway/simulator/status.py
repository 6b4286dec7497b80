"""The Status bodies that kube-apiserver answers with when it does not answer with what was asked."""

from starlette.responses import Response

from gateway.simulator.store import Json, encode

_REASONS = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    409: "Conflict",
    410: "Expired",
    415: "UnsupportedMediaType",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
}


class Declined(Exception):
    """A request that is turned down, as a Status tells it."""

    def __init__(self, code: int, message: str, *, reason: str = "", details: Json = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason or _REASONS[code]
        self.details = details


def status(code: int, message: str, *, continue_: str = "") -> Json:
    """A Status object of a failure."""
    metadata = {"continue": continue_} if continue_ else {}
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": metadata,
        "status": "Failure",
        "message": message,
        "reason": _REASONS[code],
        "code": code,
    }


def refusal(code: int, message: str, *, continue_: str = "") -> Response:
    """An HTTP answer that carries such a Status."""
    body = encode(status(code, message, continue_=continue_)) + b"\n"
    return Response(body, code, media_type="application/json")


def declined(declined: Declined) -> Response:
    """The HTTP answer to a request that is turned down."""
    body = status(declined.code, str(declined)) | {"reason": declined.reason}
    body |= {"details": declined.details} if declined.details else {}
    return Response(encode(body) + b"\n", declined.code, media_type="application/json")


def error_line(code: int, message: str) -> bytes:
    """The event by which an open watch tells a failure: its HTTP status was 200 long ago."""
    return encode({"type": "ERROR", "object": status(code, message)}) + b"\n"
