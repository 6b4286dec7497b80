"""One request answered: a document, executed on one pinned fleet."""

import enum
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from inspect import isawaitable

from graphql import (
    ExecutionResult,
    GraphQLError,
    GraphQLSchema,
    OperationType,
    execute,
    execute_sync,
    get_operation_ast,
)
from graphql.language import DocumentNode

from gateway.http.documents import Document, documents
from gateway.http.failures import failure_errors
from gateway.http.limits import Limits
from gateway.http.parameters import Parameters
from gateway.http.refusal import Refusal, RequestErrors
from gateway.http.silence import silence_errors, used_sources
from gateway.http.usage import Usage
from resolvers.context import Context


class Outcome(enum.Enum):
    """How a request ended, as the metrics count it."""

    DATA = "data"
    PARTIAL = "partial"
    """Data, and errors beside it."""
    REQUEST_ERROR = "request_error"
    """The document or its variables could not be executed."""
    REFUSED = "refused"
    """It was no request of GraphQL over HTTP, or beyond a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a request comes to, before it is written as bytes."""

    outcome: Outcome
    status: int
    """By GraphQL over HTTP, where the media type leaves the status to it."""
    body: dict[str, object]


class GraphQL:
    """Answers requests, each on one pinned fleet; what only reads the fleet is answered without waiting."""

    def __init__(self, schema: GraphQLSchema, pin: Callable[[], Context], limits: Limits) -> None:
        self._schema = schema
        self._pin = pin
        self._document = documents(schema, limits)

    async def answer(self, parameters: Parameters, *, safe: bool = False) -> Answer:
        """The answer to one request; `safe` is a method that must not change anything."""
        try:
            document = self._document(parameters.query)
            if safe:
                _refuse_change(document.ast, parameters.operation_name)
            usage = _usage(document, parameters)
            context = self._pin()
            result = self._execute(document, parameters, context, waits=usage.waits)
            executed = await result if isawaitable(result) else result
            _refuse_unexecuted(executed)
            return _told(executed, context, usage)
        except RequestErrors as refused:
            body: dict[str, object] = {"errors": [error.formatted for error in refused.errors]}
            return Answer(outcome=Outcome.REQUEST_ERROR, status=refused.status, body=body)

    def _execute(
        self, document: Document, parameters: Parameters, context: Context, *, waits: bool
    ) -> ExecutionResult | Awaitable[ExecutionResult]:
        """Looking at each value, whether it must be waited for, only where one must."""
        run = execute if waits else execute_sync
        return run(
            self._schema,
            document.ast,
            context_value=context,
            variable_values=dict(parameters.variables),
            operation_name=parameters.operation_name,
        )


def _told(result: ExecutionResult, context: Context, usage: Usage) -> Answer:
    errors = [*failure_errors(result.errors or ()), *silence_errors(context.notes)]
    extensions = {"sources": used_sources(context.fleet.sources, usage.systems)}
    body: dict[str, object] = {"data": result.data, "extensions": extensions}
    if not errors:
        return Answer(outcome=Outcome.DATA, status=200, body=body)
    return Answer(outcome=Outcome.PARTIAL, status=294, body={"errors": errors, **body})


def _usage(document: Document, parameters: Parameters) -> Usage:
    """Of the operation that is meant; of none where none is, which execution refuses."""
    operation = get_operation_ast(document.ast, parameters.operation_name)
    name = operation.name.value if operation and operation.name else ""
    return document.usages.get(name, _NOTHING)


def _refuse_change(document: DocumentNode, operation_name: str | None) -> None:
    operation = get_operation_ast(document, operation_name)
    if operation and operation.operation is not OperationType.QUERY:
        raise Refusal(405, f"a {operation.operation.value} needs POST", headers={"allow": "POST"})


def _refuse_unexecuted(result: ExecutionResult) -> None:
    """Variables or an operation name that do not fit: such errors have no path, those of fields have one."""
    errors: Sequence[GraphQLError] = result.errors or ()
    if result.data is None and errors and all(error.path is None for error in errors):
        raise RequestErrors(422, errors)


_NOTHING = Usage(frozenset(), waits=False)
