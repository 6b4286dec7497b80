"""A slurmrestd as a reader meets it: recorded or generated answers, and the failures of the real ones."""

import re
from collections.abc import Mapping
from typing import Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from gateway.simulator.faults import WireFault, faulty
from gateway.simulator.slurm_failures import LAST_OF_22_05, SlurmFault, failure, number_of, ping

_PATH = re.compile(r"/slurm/(?P<version>v\d+\.\d+\.\d+)/(?P<what>ping|nodes|jobs|partitions|diag)/?")
_NO_SUCH_URL = "Unable find requested URL. Please view /openapi/v3 for API reference."

Fault = WireFault | SlurmFault


class Answers(Protocol):
    """What a Slurm has to say."""

    def answer(self, version: str, what: str) -> bytes | None:
        """The body of that answer; None where it was never recorded."""
        ...

    def serves(self, version: str) -> bool:
        """Whether this version of the interface is spoken."""
        ...


class Recorded:
    """Answers as they were recorded, byte for byte, by version and by what they hold."""

    def __init__(self, bodies: Mapping[tuple[str, str], bytes]) -> None:
        self._bodies = bodies
        self._versions = {version for version, _ in bodies}

    def answer(self, version: str, what: str) -> bytes | None:
        """The recorded body."""
        return self._bodies.get((version, what))

    def serves(self, version: str) -> bool:
        """A version is spoken if anything was recorded of it."""
        return version in self._versions


class Slurmrestd:
    """One slurmrestd, as an ASGI app."""

    def __init__(self, answers: Answers, *, user: str | None = None, token: str | None = None) -> None:
        self.answers = answers
        self.fault: Fault | None = None
        """What is wrong with all of it."""
        self.faults: dict[str, Fault] = {}
        """What is wrong with one question: `nodes`, `jobs`, `partitions`, `ping` or `diag`."""
        self._user = user
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, the fault of the moment allowing."""
        match = _PATH.fullmatch(scope["path"])
        what = match["what"] if match else ""
        await faulty(self._answer, lambda: self._fault_of(what), scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = self._response(Request(scope))
        await response(scope, receive, send)

    def _fault_of(self, what: str) -> Fault | None:
        return self.fault or self.faults.get(what)

    def _response(self, request: Request) -> Response:
        match = _PATH.fullmatch(request.url.path)
        if match is None or not self.answers.serves(match["version"]):
            return PlainTextResponse(_NO_SUCH_URL, 404)
        version, what = match["version"], match["what"]
        if request.method != "GET":
            return PlainTextResponse(_NO_SUCH_URL, 405 if number_of(version) <= LAST_OF_22_05 else 404)
        fault = self._refused(request, version) or self._fault_of(what)
        if isinstance(fault, SlurmFault):
            return failure(fault, version, what)
        return self._recorded(version, what)

    def _recorded(self, version: str, what: str) -> Response:
        body = self.answers.answer(version, what)
        if body is not None:
            return Response(body, media_type="application/json")
        if what == "ping":
            return JSONResponse(ping(version))
        return failure(SlurmFault.CONTROLLER_STOPPED, version, what)

    def _refused(self, request: Request, version: str) -> SlurmFault | None:
        """A token is wanted only where one is configured; 22.05 wants both headers and knows no Bearer."""
        if self._token is None:
            return None
        old = number_of(version) <= LAST_OF_22_05
        user = request.headers.get("x-slurm-user-name")
        token = request.headers.get("x-slurm-user-token")
        if not old:
            token = token or request.headers.get("authorization", "").removeprefix("Bearer ")
        if not token or (old and not user):
            return SlurmFault.UNAUTHORIZED
        right = token == self._token and (not user or self._user in {None, user})
        return None if right else SlurmFault.BAD_TOKEN
