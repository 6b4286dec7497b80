"""/healthz and /readyz: whether the process is alive, whether it can answer, and what is silent."""

from collections.abc import Callable, Iterable
from datetime import datetime

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gateway.fleet.source import SourceState, SourceStatus
from gateway.http.moment import Moment

_ANSWERING = {SourceState.FRESH, SourceState.STALE}
_SILENT = {SourceState.NEVER, SourceState.DOWN}


async def healthz(_: Request) -> Response:
    """Alive: the event loop answers, which is all that a restart could mend."""
    return JSONResponse({"status": "alive"})


class Readiness:
    """Whether a load balancer should send requests here.

    One silent system makes no gateway unready, since the others' fields are answered: to take every replica
    out of service would make the outage of one system an outage of all. `?strict` is for who wants that.
    """

    def __init__(self, pin: Callable[[], Moment]) -> None:
        self._pin = pin

    async def page(self, request: Request) -> Response:
        """200 while there is something to answer from, else 503; the body names every source."""
        sources = self._pin().sources
        silent = [source.name for source in sources if source.state in _SILENT]
        waiting = [source.name for source in sources if untried(source)]
        ready = not waiting and _can_answer(sources) and not (silent and "strict" in request.query_params)
        body = {
            "status": _status(ready=ready, silent=bool(silent)),
            "silent": silent,
            "waiting": waiting,
            "sources": [_source(source) for source in sources],
        }
        headers = {"cache-control": "no-store"}
        return Response(msgspec.json.encode(body), 200 if ready else 503, headers, "application/json")


def untried(source: SourceStatus) -> bool:
    """Whether nobody knows yet if it answers."""
    return source.state is SourceState.NEVER and source.last_attempt_at is None


def _can_answer(sources: Iterable[SourceStatus]) -> bool:
    return any(source.state in _ANSWERING for source in sources)


def _status(*, ready: bool, silent: bool) -> str:
    if not ready:
        return "unready"
    return "degraded" if silent else "ready"


def _source(source: SourceStatus) -> dict[str, str | int | datetime | None]:
    return {
        "name": source.name,
        "system": source.system.value,
        "cluster": source.place or None,
        "state": source.state.value,
        "lastSuccessAt": source.last_success_at,
        "lastAttemptAt": source.last_attempt_at,
        "consecutiveFailures": source.consecutive_failures,
        "skipped": len(source.skipped),
        "error": source.error,
    }
