"""A Kubernetes API server as the gateway meets it: version, get, list in pages, watch, and writes.

It follows what was measured on kube-apiserver 1.36.3; the same contract tests run on both.
"""

import math
import re

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from gateway.fleet.clock import Clock, utc_now
from gateway.simulator import status
from gateway.simulator.faults import faulty
from gateway.simulator.kubernetes_faults import Fault, declined
from gateway.simulator.kubernetes_writes import write
from gateway.simulator.paging import TokenExpired, TokenMisread, Wanted, page
from gateway.simulator.selectors import selector
from gateway.simulator.store import Collection, Store, encode
from gateway.simulator.watching import Watch
from gateway.simulator.writing import Place, Writer

_PATH = re.compile(
    r"/(?:api/(?P<core>v1)|apis/(?P<group>[^/]+/[^/]+))"
    r"(?:/namespaces/(?P<namespace>[^/]+))?/(?P<plural>[^/]+)(?:/(?P<name>[^/]+)(?:/(?P<part>[^/]+))?)?"
)
_UNSUPPORTED = ("sendInitialEvents", "resourceVersionMatch")
_READS = {"GET", "HEAD"}
_LONGEST_WATCH_SECONDS = 1800
_BOOKMARK_SECONDS = 60.0


class KubernetesApi:
    """One cluster's API, as an ASGI app."""

    def __init__(
        self,
        store: Store | None = None,
        *,
        version: str = "v1.36.3",
        token: str | None = None,
        bookmark_seconds: float = _BOOKMARK_SECONDS,
        clock: Clock = utc_now,
    ) -> None:
        self.store = store or Store()
        self.writer = Writer(self.store, clock)
        self.fault: Fault | None = None
        """What is wrong with all of it."""
        self.faults: dict[str, Fault] = {}
        """What is wrong with one kind, by its plural."""
        self._version = version
        self._token = token
        self._bookmark_seconds = bookmark_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, the fault of the moment allowing."""
        plural = _plural(scope["path"])
        await faulty(self._answer, lambda: self._fault_of(plural), scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        body = b"" if request.method in _READS else await request.body()
        await self._response(request, body)(scope, receive, send)

    def _fault_of(self, plural: str) -> Fault | None:
        return self.fault or self.faults.get(plural)

    def _response(self, request: Request, body: bytes) -> Response:
        if self._token is not None and request.headers.get("authorization") != f"Bearer {self._token}":
            return status.refusal(401, "Unauthorized")
        fault = self._fault_of(_plural(request.url.path))
        return declined(fault, watching=_watching(request)) or self._resource(request, body)

    def _resource(self, request: Request, body: bytes) -> Response:
        path = request.url.path
        if path == "/version":
            return JSONResponse(_version(self._version))
        if path in {"/livez", "/readyz", "/healthz"}:
            return PlainTextResponse("ok")
        match = _PATH.fullmatch(path)
        return _unknown_path() if match is None else self._object(request, match, body)

    def _object(self, request: Request, match: re.Match[str], body: bytes) -> Response:
        api_version = match["core"] or match["group"]
        collection = self.store.collection(api_version, match["plural"])
        if collection is None:
            return self._unknown_resource(api_version)
        namespace, name, part = (match[group] or "" for group in ("namespace", "name", "part"))
        if request.method not in _READS:
            place = Place(collection=collection, namespace=namespace, name=name)
            return write(self.writer, place, part, request, body)
        if part:
            return status.refusal(404, "the server could not find the requested resource")
        return self._read(request, collection, namespace, name)

    def _read(self, request: Request, collection: Collection, namespace: str, name: str) -> Response:
        if name:
            return _get(collection, f"{namespace}/{name}", name)
        for unsupported in _UNSUPPORTED:
            if unsupported in request.query_params:
                return status.refusal(400, f"the simulator does not know {unsupported}")
        if _watching(request):
            for selected in {"labelSelector", "fieldSelector"} & request.query_params.keys():
                return status.refusal(400, f"the simulator does not know {selected} in a watch")
            return self._watch(request, collection, namespace)
        return self._list(request, collection, namespace)

    def _list(self, request: Request, collection: Collection, namespace: str) -> Response:
        query = request.query_params
        try:
            limit = 0 if query.get("resourceVersion") == "0" else int(query.get("limit") or 0)
            token = query.get("continue", "")
            selected = selector(query.get("labelSelector", ""), query.get("fieldSelector", ""))
            wanted = Wanted(namespace=namespace, selected=selected)
            shown = page(collection, self.store.revision, wanted, limit=limit, token=token)
        except TokenExpired as expired:
            return status.refusal(410, str(expired), continue_=expired.fresh)
        except (TokenMisread, ValueError) as error:
            return status.refusal(400, str(error))
        metadata: dict[str, str | int] = {"resourceVersion": str(shown.revision)}
        if shown.token:
            metadata |= {"continue": shown.token, "remainingItemCount": shown.remaining}
        resource = collection.resource
        head = {"kind": f"{resource.kind}List", "apiVersion": resource.api_version, "metadata": metadata}
        items = b",".join(stored.item for stored in shown.objects)
        body = encode(head)[:-1] + b',"items":[' + items + b"]}\n"
        return Response(body, media_type="application/json")

    def _watch(self, request: Request, collection: Collection, namespace: str) -> Response:
        query = request.query_params
        try:
            since = int(query.get("resourceVersion") or 0)
            timeout = float(query.get("timeoutSeconds") or 0) or _LONGEST_WATCH_SECONDS
        except ValueError as error:
            return status.refusal(400, str(error))
        watch = Watch(
            collection=collection,
            revision=lambda: self.store.revision,
            since=since,
            namespace=namespace,
            timeout_seconds=timeout,
            bookmark_seconds=self._bookmark_seconds
            if query.get("allowWatchBookmarks") == "true"
            else math.inf,
        )
        return StreamingResponse(watch.lines(), media_type="application/json")

    def _unknown_resource(self, api_version: str) -> Response:
        if api_version == "v1" or self.store.serves_group(api_version):
            return status.refusal(404, "the server could not find the requested resource")
        return _unknown_path()


def _watching(request: Request) -> bool:
    return request.query_params.get("watch") in {"true", "1"}


def _plural(path: str) -> str:
    match = _PATH.fullmatch(path)
    return match["plural"] if match else ""


def _get(collection: Collection, key: str, name: str) -> Response:
    stored = collection.named(key)
    if stored is None:
        resource = collection.resource
        qualified = f"{resource.plural}.{resource.group}".rstrip(".")
        return status.refusal(404, f'{qualified} "{name}" not found')
    return Response(stored.text + b"\n", media_type="application/json")


def _unknown_path() -> Response:
    return PlainTextResponse("404 page not found\n", 404)


def _version(version: str) -> dict[str, str]:
    major, _, rest = version.removeprefix("v").partition(".")
    minor = rest.partition(".")[0]
    return {"major": major, "minor": minor, "gitVersion": version, "platform": "linux/amd64"}
