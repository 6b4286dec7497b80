"""The executable schema: every field reads its record, and an Unknown becomes null with a note."""

from collections.abc import Callable, Iterable
from inspect import cleandoc
from typing import Any

import strawberry
from graphql import (
    GRAPHQL_MAX_INT,
    GRAPHQL_MIN_INT,
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLSchema,
    Undefined,
)
from strawberry.schema.config import StrawberryConfig
from strawberry.types.base import StrawberryObjectDefinition
from strawberry.types.enum import StrawberryEnumDefinition
from strawberry.types.field import StrawberryField

from gateway.errors import System
from gateway.fleet.unknown import Unknown, undetermined
from resolvers.context import Context, Note
from resolvers.inputs import NEEDS
from schema.mutation import Mutation
from schema.problem import PROBLEMS
from schema.provenance import systems_of
from schema.query import Query
from schema.scalars import SCALARS
from schema.unknowns import find_unknowns
from schema.view import DEFINITION, is_unknowns, path_of

Resolver = Callable[..., Any]
Asking = GraphQLResolveInfo[Context]
SYSTEMS = "systems"
"""The key of a field's extensions that says which systems its value comes from."""
WAITS = "waits"
"""The key of a field's extensions that says whether its value must be waited for."""


def build() -> strawberry.Schema:
    """The schema with its resolvers in place."""
    config = StrawberryConfig(scalar_map=SCALARS)
    schema = strawberry.Schema(query=Query, mutation=Mutation, types=PROBLEMS, config=config)
    graph = executable(schema)
    for kind in graph.type_map.values():
        if isinstance(kind, GraphQLObjectType):
            _wire(kind)
        elif isinstance(kind, GraphQLInputObjectType):
            _complete_input(kind)
        elif isinstance(kind, GraphQLEnumType):
            _describe(kind)
    for kind in graph.type_map.values():
        if isinstance(kind, GraphQLInterfaceType):
            _name_systems(kind, graph.get_implementations(kind).objects)
    return schema


def executable(schema: strawberry.Schema) -> GraphQLSchema:
    """The schema as graphql-core executes it."""
    return schema._schema  # noqa: SLF001 - Strawberry 0.341 has no public name for it


def _wire(kind: GraphQLObjectType) -> None:
    for field in kind.fields.values():
        definition = field.extensions.get(DEFINITION)
        if isinstance(definition, StrawberryField):
            field.extensions[SYSTEMS] = systems_of(definition.directives).union(_needs(definition))
            field.extensions[WAITS] = definition.is_async
            read = _reader(kind, field, definition)
            field.resolve = _noting_later(read) if definition.is_async else _noting(read)
            _leave_out_null_defaults(field.args.values())
    _name_systems_of_reasons(kind)


def _name_systems_of_reasons(kind: GraphQLObjectType) -> None:
    """Why fields are null rests on the systems of those fields, not on all that an Unknown may be about."""
    every = frozenset().union(*(field.extensions.get(SYSTEMS, ()) for field in kind.fields.values()))
    for name, field in kind.fields.items():
        if name == "unknowns":
            field.extensions[SYSTEMS] = every
        elif kind.name == "Unknown":
            field.extensions[SYSTEMS] = frozenset()


def _complete_input(kind: GraphQLInputObjectType) -> None:
    _describe(kind)
    # Strawberry 0.341 tells it only to its own execution.
    kind.is_one_of = kind.extensions[DEFINITION].is_one_of
    for field in kind.fields.values():
        field.extensions[SYSTEMS] = frozenset(_needs(field.extensions[DEFINITION]))
    _leave_out_null_defaults(kind.fields.values())


def _needs(definition: StrawberryField) -> Iterable[object]:
    needed: Iterable[object] = definition.metadata.get(NEEDS, ())
    return needed


def _name_systems(interface: GraphQLInterfaceType, implementers: Iterable[GraphQLObjectType]) -> None:
    """A field of an interface rests on what its implementers' rest on."""
    shown = list(implementers)
    for name, field in interface.fields.items():
        field.extensions[SYSTEMS] = frozenset().union(
            *(one.fields[name].extensions[SYSTEMS] for one in shown)
        )


def _describe(kind: GraphQLEnumType | GraphQLInputObjectType) -> None:
    """Enums and inputs are described by their classes."""
    definition = kind.extensions.get(DEFINITION)
    if isinstance(definition, StrawberryEnumDefinition):
        definition.description = kind.description = cleandoc(definition.wrapped_cls.__doc__ or "")
    elif isinstance(definition, StrawberryObjectDefinition):
        definition.description = kind.description = cleandoc(definition.origin.__doc__ or "")


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
    read = _along(path_of(definition))
    return _as_int(read, field.extensions[SYSTEMS]) if field.type is GraphQLInt else read


def _as_int(read: Resolver, systems: Iterable[System]) -> Resolver:
    """GraphQL's Int has 32 bits: what does not fit is no count of anything, and not known."""
    told_by = min(systems, key=lambda system: system.value, default=System.KUBERNETES)

    def fitting(record: object, info: Asking) -> object:
        value = read(record, info)
        if type(value) is int and not GRAPHQL_MIN_INT <= value <= GRAPHQL_MAX_INT:
            return undetermined(told_by, f"{value} is more than a count can be")
        return value

    return fitting


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
        return _shown(read(record, info, **arguments), info)

    resolve.read = read  # type: ignore[attr-defined]
    return resolve


def _noting_later(read: Resolver) -> Resolver:
    """The same of what must be waited for."""

    async def resolve(record: object, info: Asking, **arguments: object) -> object:
        return _shown(await read(record, info, **arguments), info)

    resolve.read = read  # type: ignore[attr-defined]
    return resolve


def _shown(value: object, info: Asking) -> object:
    if type(value) is not Unknown:
        return value
    if value.is_silence:
        info.context.notes.append(Note(tuple(info.path.as_list()), value))
    return None
