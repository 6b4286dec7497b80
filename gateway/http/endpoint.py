"""The endpoint of GraphQL over HTTP: from a request's bytes to an answer's."""

from time import perf_counter

import msgspec
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gateway.http.body import read_body
from gateway.http.execution import Answer, GraphQL, Outcome
from gateway.http.limits import Limits
from gateway.http.media import MediaType, is_json, negotiate
from gateway.http.metrics import Metrics
from gateway.http.parameters import Parameters, read_json, read_query_string
from gateway.http.refusal import Refusal

_encode = msgspec.json.Encoder().encode


class GraphQLEndpoint:
    """An ASGI application, without layers between it and execution: a deep stack makes execution slower."""

    def __init__(self, graphql: GraphQL, limits: Limits, metrics: Metrics) -> None:
        self._graphql = graphql
        self._limits = limits
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        started = perf_counter()
        try:
            response, outcome = await self._answered(scope, receive)
        except ClientDisconnect:
            return
        self._metrics.answered(outcome.value, perf_counter() - started)
        await response(scope, receive, send)

    async def _answered(self, scope: Scope, receive: Receive) -> tuple[Response, Outcome]:
        media = negotiate(_accept(scope))
        if media is None:
            return _refusal(_NOT_ACCEPTABLE, MediaType.JSON), Outcome.REFUSED
        try:
            parameters = await self._parameters(scope, receive)
            answer = await self._graphql.answer(parameters, safe=scope["method"] == "GET")
        except Refusal as refused:
            return _refusal(refused, media), Outcome.REFUSED
        return _response(answer, media), answer.outcome

    async def _parameters(self, scope: Scope, receive: Receive) -> Parameters:
        if scope["method"] == "GET":
            return read_query_string(self._query_string(scope))
        if scope["method"] != "POST":
            raise Refusal(405, "only GET and POST are served", headers={"allow": "GET, POST"})
        headers = Headers(scope=scope)
        if "content-encoding" in headers or not is_json(headers.get("content-type")):
            raise Refusal(415, "send the body as Content-Type: application/json, in UTF-8, not compressed")
        return read_json(await read_body(scope, receive, self._limits))

    def _query_string(self, scope: Scope) -> bytes:
        text: bytes = scope["query_string"]
        if len(text) > self._limits.max_body_bytes:
            raise Refusal(414, f"the query string is longer than {self._limits.max_body_bytes} bytes")
        return text


def _accept(scope: Scope) -> str | None:
    return ", ".join(Headers(scope=scope).getlist("accept")) or None


def _response(answer: Answer, media: MediaType) -> Response:
    """The legacy media type keeps 200: its callers trust no other status to carry an answer."""
    status = answer.status if media is MediaType.GRAPHQL_RESPONSE else 200
    return Response(_encode(answer.body), status, _HEADERS, media.content_type)


def _refusal(refused: Refusal, media: MediaType) -> Response:
    body = _encode({"errors": [{"message": str(refused)}]})
    return Response(body, refused.status, {**_HEADERS, **refused.headers}, media.content_type)


_TYPES = " or ".join(media.value for media in MediaType)
_NOT_ACCEPTABLE = Refusal(406, f"Accept names no type that is served here: {_TYPES}")
_HEADERS = {"cache-control": "no-store", "vary": "Accept", "x-content-type-options": "nosniff"}
