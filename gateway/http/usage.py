"""What the answer to an operation rests on, as its fields say in their extensions."""

from collections.abc import Mapping
from typing import NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLSchema,
    ObjectFieldNode,
    TypeInfo,
    TypeInfoVisitor,
    VariableNode,
    Visitor,
    get_named_type,
    visit,
)
from graphql.utilities import separate_operations

from gateway.errors import System

SYSTEMS = "systems"
"""The key of a field's extensions that says which systems its value comes from."""


WAITS = "waits"
"""The key of a field's extensions that says whether its value must be waited for."""


class Usage(NamedTuple):
    """What one operation rests on."""

    systems: frozenset[System]
    """Those that its answer comes from."""
    waits: bool
    """Whether something of it must be waited for: a change, or what is not in memory."""


def usages(schema: GraphQLSchema, document: DocumentNode) -> Mapping[str, Usage]:
    """What each operation rests on, by its name."""
    return {name: _usage(schema, one) for name, one in separate_operations(document).items()}


def _usage(schema: GraphQLSchema, operation: DocumentNode) -> Usage:
    types = TypeInfo(schema)
    collecting = _Collecting(types)
    visit(operation, TypeInfoVisitor(types, collecting))
    return Usage(frozenset(collecting.found), collecting.waits)


class _Collecting(Visitor):
    """Collects what is said by every field that is asked for, and by every filter that is set."""

    def __init__(self, types: TypeInfo) -> None:
        super().__init__()
        self._types = types
        self.found: set[System] = set()
        self.waits = False

    def enter_field(self, _node: FieldNode, *_path: object) -> None:
        field = self._types.get_field_def()
        self._add(field)
        self.waits = self.waits or bool(field and field.extensions.get(WAITS))

    def enter_object_field(self, node: ObjectFieldNode, *_path: object) -> None:
        parent = get_named_type(self._types.get_parent_input_type())
        if isinstance(parent, GraphQLInputObjectType):
            self._add(parent.fields.get(node.name.value))

    def enter_variable(self, _node: VariableNode, *_path: object) -> None:
        """A variable may set every part of its input."""
        kind = get_named_type(self._types.get_input_type())
        if isinstance(kind, GraphQLInputObjectType):
            for field in kind.fields.values():
                self._add(field)

    def _add(self, field: GraphQLField | GraphQLInputField | None) -> None:
        if field is not None:
            self.found.update(field.extensions.get(SYSTEMS, ()))
