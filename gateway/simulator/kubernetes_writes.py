"""Requests that change something, as HTTP brings them to a simulated API server."""

import json
from collections.abc import Mapping
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from gateway.simulator.ending import delete, evict
from gateway.simulator.status import Declined, declined
from gateway.simulator.store import Json, encode
from gateway.simulator.validation import invalid
from gateway.simulator.writing import By, Place, Writer

_APPLY, _MERGE = "application/apply-patch+yaml", "application/merge-patch+json"
_ALLOWED = {
    ("POST", False, ""),
    ("POST", True, "eviction"),
    ("PUT", True, ""),
    ("PATCH", True, ""),
    ("PATCH", True, "status"),
    ("DELETE", True, ""),
}
"""Method, whether an object is named, and what of it."""


def write(writer: Writer, place: Place, subresource: str, request: Request, body: bytes) -> Response:
    """Do what is asked, or say in a Status why not."""
    try:
        _check_allowed(request.method, place, subresource)
        return _written(writer, place, _by(request, subresource), request, _parsed(request, body))
    except Declined as refused:
        return declined(refused)


def _check_allowed(method: str, place: Place, subresource: str) -> None:
    if (method, bool(place.name), subresource) not in _ALLOWED:
        raise Declined(405, "the server does not allow this method on the requested resource")


def _written(writer: Writer, place: Place, by: By, request: Request, body: Json) -> Response:
    if request.method == "DELETE":
        return _deleted(writer, place, by, request, body)
    if by.subresource == "eviction":
        return _answer(evict(writer, place, body), 201)
    if request.method == "POST":
        return _answer(writer.create(_named(place, body), body, by), 201)
    if request.method == "PUT":
        return _answer(writer.replace(_named(place, body), body, by))
    return _answer(_patched(writer, place, by, request, body))


def _patched(writer: Writer, place: Place, by: By, request: Request, body: Json) -> Json:
    kind = request.headers.get("content-type", "")
    if kind == _MERGE:
        return writer.merge(place, body, by)
    if kind != _APPLY:
        raise Declined(415, "415: Unsupported Media Type (the simulator knows merge patches and apply)")
    if "fieldManager" not in request.query_params:
        raise Declined(422, 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value')
    if request.query_params.get("force") == "true":
        raise Declined(400, "the simulator does not know forced applies")
    return writer.apply(_named(place, body), body, by)


def _deleted(writer: Writer, place: Place, by: By, request: Request, options: Json) -> Response:
    seconds = request.query_params.get("gracePeriodSeconds")
    options = options | ({"gracePeriodSeconds": int(seconds)} if seconds else {})
    last = delete(writer, place, options, dry_run=by.dry_run)
    if last["kind"] == "Pod" or last["metadata"].get("finalizers"):
        return _answer(last)
    details = place.details | {"uid": last["metadata"].get("uid")}
    return _answer({"kind": "Status", "apiVersion": "v1", "status": "Success", "details": details})


def _by(request: Request, subresource: str) -> By:
    agent = request.headers.get("user-agent", "unknown").partition("/")[0]
    return By(
        manager=request.query_params.get("fieldManager", agent),
        subresource=subresource,
        dry_run=request.query_params.get("dryRun") == "All",
    )


def _parsed(request: Request, body: bytes) -> Json:
    if request.method == "DELETE" and not body:
        return {}
    try:
        parsed = json.loads(body)
    except ValueError as error:
        raise Declined(400, f"the object provided is unrecognized: {error}") from error
    if not isinstance(parsed, Mapping):
        raise Declined(400, "error decoding: json: cannot unmarshal into a map[string]interface {}")
    return parsed


def _named(place: Place, body: Json) -> Place:
    """The place of an object that a body names, where the URL does not contradict it."""
    name = (body.get("metadata") or {}).get("name")
    if not name:
        required = "name or generateName is required"
        raise invalid(place.collection.resource, "", "metadata.name", required)
    if place.name and name != place.name:
        said = f"the name of the object ({name}) does not match the name on the URL ({place.name})"
        raise Declined(400, said)
    return replace(place, name=name)


def _answer(body: Json, code: int = 200) -> Response:
    return Response(encode(body) + b"\n", code, media_type="application/json")
