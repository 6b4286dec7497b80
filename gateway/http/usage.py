"""Which systems the answer to an operation rests on, as its fields say in their extensions."""

from collections.abc import Mapping

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


def systems_used(schema: GraphQLSchema, document: DocumentNode) -> Mapping[str, frozenset[System]]:
    """The systems of each operation, by its name."""
    return {name: _used_by(schema, one) for name, one in separate_operations(document).items()}


def _used_by(schema: GraphQLSchema, operation: DocumentNode) -> frozenset[System]:
    types = TypeInfo(schema)
    collecting = _Collecting(types)
    visit(operation, TypeInfoVisitor(types, collecting))
    return frozenset(collecting.found)


class _Collecting(Visitor):
    """Collects the systems of every field that is asked for, and of every filter that is set."""

    def __init__(self, types: TypeInfo) -> None:
        super().__init__()
        self._types = types
        self.found: set[System] = set()

    def enter_field(self, _node: FieldNode, *_path: object) -> None:
        self._add(self._types.get_field_def())

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
