"""What a caller sees of an error in execution: what is meant for it in full, what nobody foresaw masked."""

import logging
from collections.abc import Iterable

from graphql import GraphQLError

from gateway.errors import GatewayError, SourceError, SourceRefused
from gateway.http.silence import without_positions
from gateway.telemetry import REQUEST_ID

_LOG = logging.getLogger(__name__)


def failure_errors(errors: Iterable[GraphQLError]) -> list[dict[str, object]]:
    """The errors as a caller may see them; those that repeat down a list are told once and counted."""
    told: dict[object, dict[str, object]] = {}
    counts: dict[object, int] = {}
    for error in errors:
        key = (without_positions(error.path or ()), type(error.original_error), error.message)
        if key not in told:
            told[key] = _shown(error)
        counts[key] = counts.get(key, 0) + 1
    return [_counted(entry, counts[key]) for key, entry in told.items()]


def _shown(error: GraphQLError) -> dict[str, object]:
    cause = error.original_error
    shown: dict[str, object] = dict(error.formatted)
    if isinstance(cause, GatewayError):
        return shown | {"extensions": _extensions(cause)}
    if cause is None or isinstance(cause, GraphQLError):
        return shown
    _LOG.error("nobody foresaw this at %s", error.path, exc_info=cause)
    request = REQUEST_ID.get()
    message = f"internal error: the gateway's log has it under request id {request}"
    return shown | {"message": message, "extensions": {"code": "INTERNAL", "requestId": request}}


def _extensions(error: GatewayError) -> dict[str, object]:
    told: dict[str, object] = {"code": error.code}
    if isinstance(error, SourceError):
        told |= {"system": error.system.value, "retryable": not isinstance(error, SourceRefused)}
    return told


def _counted(entry: dict[str, object], count: int) -> dict[str, object]:
    if count == 1:
        return entry
    extensions = entry.get("extensions", {})
    return entry | {"extensions": {**extensions, "count": count}} if isinstance(extensions, dict) else entry
