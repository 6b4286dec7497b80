"""The executable schema: every field reads its record, and an Unknown becomes null with a note."""

from collections.abc import Callable, Iterable
from typing import Any

import strawberry
from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLSchema,
    Undefined,
)
from strawberry.schema.config import StrawberryConfig
from strawberry.types.field import StrawberryField

from gateway.fleet.unknown import Unknown
from resolvers.context import Context, Note
from schema.provenance import systems_of
from schema.query import Query
from schema.scalars import SCALARS
from schema.unknowns import find_unknowns
from schema.view import is_unknowns, path_of

Resolver = Callable[..., Any]
Asking = GraphQLResolveInfo[Context]


def build() -> strawberry.Schema:
    """The schema with its resolvers in place."""
    schema = strawberry.Schema(query=Query, config=StrawberryConfig(scalar_map=SCALARS))
    for kind in executable(schema).type_map.values():
        if isinstance(kind, GraphQLObjectType):
            _wire(kind)
        if isinstance(kind, GraphQLInputObjectType):
            _leave_out_null_defaults(kind.fields.values())
    return schema


def executable(schema: strawberry.Schema) -> GraphQLSchema:
    """The schema as graphql-core executes it."""
    return schema._schema  # noqa: SLF001 - Strawberry 0.341 has no public name for it


def _wire(kind: GraphQLObjectType) -> None:
    for field in kind.fields.values():
        definition = field.extensions.get("strawberry-definition")
        if isinstance(definition, StrawberryField):
            field.extensions["systems"] = systems_of(definition.directives)
            field.resolve = _noting(_reader(kind, field, definition))
            _leave_out_null_defaults(field.args.values())


def _leave_out_null_defaults(inputs: Iterable[GraphQLArgument | GraphQLInputField]) -> None:
    """Null is the same as absent, so the schema does not print it as a default."""
    for one in inputs:
        if one.default_value is None:
            one.default_value = Undefined


def _reader(kind: GraphQLObjectType, field: GraphQLField, definition: StrawberryField) -> Resolver:
    if is_unknowns(definition):
        return find_unknowns(kind)
    if definition.base_resolver is not None and field.resolve is not None:
        return field.resolve
    return _along(path_of(definition))


def _along(path: tuple[str, ...]) -> Resolver:
    """Read an attribute of the record, or of a part of it that may be missing or unknown."""

    def read(record: object, _info: Asking) -> object:
        for name in path:
            record = getattr(record, name)
            if record is None or type(record) is Unknown:
                break
        return record

    return read


def _noting(read: Resolver) -> Resolver:
    """Turn what is unknown into null; a silence is noted, and becomes an error of the response."""

    def resolve(record: object, info: Asking, **arguments: object) -> object:
        value = read(record, info, **arguments)
        if type(value) is not Unknown:
            return value
        if value.is_silence:
            info.context.notes.append(Note(tuple(info.path.as_list()), value))
        return None

    resolve.read = read  # type: ignore[attr-defined]
    return resolve
