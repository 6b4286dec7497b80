"""Lists why fields of an object are null: its own, and those of what it is made of."""

from collections.abc import Callable, Iterator

from graphql import GraphQLField, GraphQLObjectType, GraphQLResolveInfo, get_named_type

from gateway.fleet.unknown import Unknown
from resolvers.context import Context
from schema.unknown import Unknown as Entry
from schema.view import DEFINITION, is_part, is_unknowns

Asking = GraphQLResolveInfo[Context]


def find_unknowns(kind: GraphQLObjectType) -> Callable[..., list[Entry]]:
    """Resolve the field `unknowns` of a type."""

    def resolve(record: object, info: Asking) -> list[Entry]:
        return list(_below(kind, record, info, ""))

    return resolve


def _below(kind: GraphQLObjectType, record: object, info: Asking, prefix: str) -> Iterator[Entry]:
    for name, field in kind.fields.items():
        definition = field.extensions[DEFINITION]
        if is_unknowns(definition) or definition.is_async:
            continue
        value = field.resolve.read(record, info)
        if isinstance(value, Unknown):
            yield _entry(prefix + name, value)
        elif is_part(definition):
            yield from _within(field, value, info, prefix + name)


def _within(field: GraphQLField, value: object, info: Asking, path: str) -> Iterator[Entry]:
    """Go on into what an object is made of; what lists its own unknowns is left to itself."""
    kind = get_named_type(field.type)
    if value is None or not isinstance(kind, GraphQLObjectType) or "unknowns" in kind.fields:
        return
    if isinstance(value, (list, tuple)):
        for place, part in enumerate(value):
            yield from _below(kind, part, info, f"{path}[{_name(part, place)}].")
    else:
        yield from _below(kind, value, info, f"{path}.")


def _name(part: object, place: int) -> object:
    """What tells a part from its neighbours, as in resources[nvidia.com/gpu]; else its position."""
    names = (getattr(part, key, None) for key in ("name", "resource", "resource_name"))
    return next((name for name in names if isinstance(name, str)), place)


def _entry(path: str, value: Unknown) -> Entry:
    return Entry(
        field=path,
        code=value.code,
        system=value.system,
        reason=value.reason,
        observed_at=value.observed_at,
    )
