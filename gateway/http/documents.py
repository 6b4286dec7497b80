"""Checked documents: parsed within limits, measured, validated, and remembered by their text."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from graphql import DocumentNode, GraphQLError, GraphQLSchema, parse, validate

from gateway.http.limits import Limits
from gateway.http.measures import excesses
from gateway.http.refusal import RequestErrors
from gateway.http.usage import Usage, usages

_MOST_ERRORS = 20


class Document(NamedTuple):
    """A document that may be executed."""

    ast: DocumentNode
    usages: Mapping[str, Usage]
    """What an answer rests on, by the operation's name."""


def documents(schema: GraphQLSchema, limits: Limits) -> Callable[[str], Document]:
    """A reader of documents that remembers those which may be executed; what is wrong is RequestErrors."""

    @lru_cache(maxsize=limits.cached_documents)
    def document(text: str) -> Document:
        parsed = _parsed(text, limits)
        if errors := _faults(schema, parsed, limits):
            raise RequestErrors(422, errors)
        return Document(parsed, usages(schema, parsed))

    return document


def _parsed(text: str, limits: Limits) -> DocumentNode:
    try:
        return parse(text, max_lexical_tokens=limits.max_tokens, max_comments=limits.max_tokens)
    except GraphQLError as error:
        raise RequestErrors(400, [error]) from None


def _faults(schema: GraphQLSchema, parsed: DocumentNode, limits: Limits) -> list[GraphQLError]:
    try:
        return excesses(parsed, limits) or validate(schema, parsed, max_errors=_MOST_ERRORS)
    except RecursionError:
        return [GraphQLError("the document nests its fragments too deeply")]
