"""A gateway without HTTP: a query in, the answer out as a client reads it."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Protocol

import msgspec

from gateway.app import Parts, graphql
from gateway.fleet.fleet import Fleet
from gateway.fleet.ports import PlatformWriter, ReasonArchive
from gateway.http.execution import Answer
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


def at_once(answering: Coroutine[Any, Any, Answer]) -> Answer:
    """The answer to what only reads the fleet, which never waits."""
    try:
        answering.send(None)
    except StopIteration as done:
        return done.value
    answering.close()
    raise AssertionError("the answer had to be waited for")


class Gateway:
    """Answers from what a keeper holds."""

    def __init__(
        self, keeper: Keeper, writer: PlatformWriter | None = None, archive: ReasonArchive | None = None
    ) -> None:
        parts = Parts(
            schema=SCHEMA, pin=keeper.pin, writer=writer, archive=archive, limits=LIMITS, web=Path()
        )
        self._graphql = graphql(parts)

    def ask(self, query: str, **variables: object) -> Any:
        """The whole answer."""
        return _read(at_once(self._graphql.answer(Parameters(query=query, variables=variables))))

    async def ask_later(self, query: str, **variables: object) -> Any:
        """The whole answer to what changes something, or asks for more than is in memory."""
        return _read(await self._graphql.answer(Parameters(query=query, variables=variables)))

    def data(self, query: str, **variables: object) -> Any:
        """The data of an answer without errors."""
        answer = self.ask(query, **variables)
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    def refusal(self, query: str, **variables: object) -> Any:
        """The only error of an answer."""
        (error,) = self.ask(query, **variables)["errors"]
        return error


def _read(answer: Answer) -> Any:
    return msgspec.json.decode(msgspec.json.encode(answer.body))
