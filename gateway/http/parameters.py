"""What a request asks: document, variables and operation, from a JSON body or from a query string."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from gateway.http.refusal import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """One GraphQL request."""

    query: str
    variables: Mapping[str, Any] = field(default_factory=dict)
    operation_name: str | None = None


def read_json(body: bytes) -> Parameters:
    """Read the body of a POST."""
    entries = _decoded(body, "the body")
    if isinstance(entries, list):
        raise Refusal(422, "a batch of requests is not served: send them one by one")
    if not isinstance(entries, dict):
        raise Refusal(422, 'the body must be a JSON object with "query"')
    return _parameters(entries)


def read_query_string(text: bytes) -> Parameters:
    """Read the query string of a GET, where variables and extensions are JSON and empty is absent."""
    try:
        pairs = parse_qsl(text.decode("ascii"), errors="strict", max_num_fields=20)
    except ValueError:
        raise Refusal(400, "the query string is not URL-encoded UTF-8 with at most 20 parameters") from None
    entries: dict[str, Any] = dict(pairs)
    if len(entries) < len(pairs):
        raise Refusal(422, "a parameter stands twice in the query string")
    for name in ("variables", "extensions"):
        if name in entries:
            entries[name] = _decoded(entries[name].encode(), f'"{name}"')
    return _parameters(entries)


def _parameters(entries: Mapping[str, Any]) -> Parameters:
    query = _entry(entries, "query", str)
    if query is None:
        raise Refusal(422, '"query" is missing: put the document there')
    _entry(entries, "extensions", dict)
    return Parameters(
        query=query,
        variables=_entry(entries, "variables", dict) or {},
        operation_name=_entry(entries, "operationName", str) or None,
    )


def _entry(entries: Mapping[str, Any], name: str, kind: type) -> Any:  # noqa: ANN401 - as JSON has it
    value = entries.get(name)
    if value is None or isinstance(value, kind):
        return value
    wanted = "a string" if kind is str else "an object"
    raise Refusal(422, f'"{name}" must be {wanted}')


def _decoded(text: bytes, what: str) -> Any:  # noqa: ANN401 - whatever the caller sent
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise Refusal(400, f"{what} is not JSON in UTF-8: {error}") from None
    except RecursionError:
        raise Refusal(400, f"{what} is nested too deeply") from None
