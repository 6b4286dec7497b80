"""A gateway without HTTP: a query in, the answer out as a client reads it."""

from pathlib import Path
from typing import Any, Protocol

import msgspec

from gateway.app import Parts, graphql
from gateway.fleet.fleet import Fleet
from gateway.http.limits import Limits
from gateway.http.parameters import Parameters
from schema.build import build

SCHEMA = build()
LIMITS = Limits(
    max_body_bytes=100_000,
    body_seconds=1,
    max_tokens=5_000,
    max_depth=20,
    max_aliases=50,
    max_directives=50,
    cached_documents=100,
)


class Keeper(Protocol):
    """Whatever hands out a fleet."""

    def pin(self) -> Fleet:
        """The fleet at this moment."""


class Gateway:
    """Answers from what a keeper holds."""

    def __init__(self, keeper: Keeper) -> None:
        parts = Parts(schema=SCHEMA, pin=keeper.pin, limits=LIMITS, web=Path())
        self._graphql = graphql(parts)

    def ask(self, query: str, **variables: object) -> Any:
        """The whole answer."""
        body = self._graphql.answer(Parameters(query=query, variables=variables)).body
        return msgspec.json.decode(msgspec.json.encode(body))

    def data(self, query: str, **variables: object) -> Any:
        """The data of an answer without errors."""
        answer = self.ask(query, **variables)
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    def refusal(self, query: str, **variables: object) -> Any:
        """The only error of an answer."""
        (error,) = self.ask(query, **variables)["errors"]
        return error
