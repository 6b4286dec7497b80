"""The schema as the tests walk it."""

from collections.abc import Iterator

from graphql import GraphQLField, GraphQLInterfaceType, GraphQLObjectType, get_named_type, is_leaf_type

from schema.build import build, executable

SCHEMA = build()
GRAPH = executable(SCHEMA)
OBJECTS = [
    kind
    for name, kind in sorted(GRAPH.type_map.items())
    if isinstance(kind, GraphQLObjectType) and not name.startswith("__")
]
INTERFACES = [kind for kind in GRAPH.type_map.values() if isinstance(kind, GraphQLInterfaceType)]
PAGES = [kind for kind in OBJECTS if kind.name.endswith(("Connection", "Edge", "PageInfo"))]


def fields_of_objects() -> Iterator[tuple[str, GraphQLField]]:
    """Every field of an object type, as Type.field."""
    for kind in OBJECTS:
        for name, field in kind.fields.items():
            yield f"{kind.name}.{name}", field


def field_at(path: str) -> GraphQLField:
    """The field that Type.field names."""
    kind, name = path.split(".")
    return GRAPH.type_map[kind].fields[name]


def is_leaf(field: GraphQLField) -> bool:
    """Whether a field has no fields of its own."""
    return is_leaf_type(get_named_type(field.type))
