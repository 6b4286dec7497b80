"""An HTTP peer that answers lists and watches as a test wrote them, byte for byte."""

import asyncio
import contextlib
import json
from collections import deque
from dataclasses import dataclass

from aiohttp import web

from gateway.sources.kubernetes.access import ClusterAccess, Url


@dataclass(frozen=True)
class Answer:
    body: bytes = b""
    status: int = 200
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    stays: bool = False
    """Whether the connection stays open and mute after the body."""


def a_list(*objects, version="10", go_on=""):
    metadata = {"resourceVersion": version, **({"continue": go_on} if go_on else {})}
    return Answer(json.dumps({"metadata": metadata, "items": list(objects)}).encode())


def an_object(name, version="11", **more):
    metadata = {"name": name, "namespace": "a", "resourceVersion": version}
    return {"metadata": metadata, "data": {"gpus": "1"}, **more}


def event(kind, body):
    return json.dumps({"type": kind, "object": body}).encode() + b"\n"


def error(code, message="no"):
    return event("ERROR", {"kind": "Status", "code": code, "message": message})


def a_watch(*lines, stays=False):
    return Answer(b"".join(lines), stays=stays)


MUTE = a_watch(stays=True)


class Script:
    """Answers one after the other; the last one again and again."""

    def __init__(self, lists, watches):
        self.asked = []
        """The query of each request, in order."""
        self._lists, self._watches = deque(lists), deque(watches)
        self._over = asyncio.Event()

    @property
    def listed(self):
        return [query for query in self.asked if "watch" not in query]

    @property
    def watched(self):
        return [query for query in self.asked if "watch" in query]

    async def answer(self, request):
        query = dict(request.query)
        self.asked.append(query)
        answers = self._watches if "watch" in query else self._lists
        answer = answers.popleft() if len(answers) > 1 else answers[0]
        headers = {"Content-Type": answer.content_type, **dict(answer.headers)}
        response = web.StreamResponse(status=answer.status, headers=headers)
        response.enable_chunked_encoding()
        await response.prepare(request)
        if answer.body:
            await response.write(answer.body)
        if answer.stays:
            await self._over.wait()
        return response

    def end(self):
        self._over.set()


@contextlib.asynccontextmanager
async def serving(lists, watches=(MUTE,)):
    """A script that is served, and how to reach it."""
    script = Script(lists, watches)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", script.answer)
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        yield script, ClusterAccess(name="fleet", way=Url(url=f"http://{host}:{port}"))
    finally:
        script.end()
        await runner.cleanup()
