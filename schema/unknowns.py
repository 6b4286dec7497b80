"""Lists why fields of an object are null: its own, and those of what it is made of."""

from collections.abc import Callable, Iterator

from graphql import GraphQLField, GraphQLObjectType, GraphQLResolveInfo, get_named_type

from gateway.fleet.unknown import Unknown
from resolvers.context import Context
from schema.unknown import Unknown as Entry

Asking = GraphQLResolveInfo[Context]


def find_unknowns(kind: GraphQLObjectType) -> Callable[..., list[Entry]]:
    """Resolve the field `unknowns` of a type."""

    def resolve(record: object, info: Asking) -> list[Entry]:
        return list(_below(kind, record, info, ""))

    return resolve


def _below(kind: GraphQLObjectType, record: object, info: Asking, prefix: str) -> Iterator[Entry]:
    for name, field in kind.fields.items():
        if not _is_read(field, is_part=bool(prefix)):
            continue
        value = field.resolve.read(record, info)
        if isinstance(value, Unknown):
            yield _entry(prefix + name, value)
        elif not _is_answered(field):
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


def _is_read(field: GraphQLField, *, is_part: bool) -> bool:
    """Whether a field's value belongs to the object: lists in pages and crossings of parts do not."""
    if not hasattr(field.resolve, "read") or field.extensions["strawberry-definition"].metadata.get(
        "unknowns"
    ):
        return False
    return not (_is_answered(field) and (is_part or field.args))


def _is_answered(field: GraphQLField) -> bool:
    return field.extensions["strawberry-definition"].base_resolver is not None


def _name(part: object, place: int) -> object:
    for key in ("name", "resource", "resource_name"):
        if isinstance(found := getattr(part, key, None), str):
            return found
    return place


def _entry(path: str, value: Unknown) -> Entry:
    return Entry(
        field=path,
        code=value.code,
        system=value.system,
        reason=value.reason,
        observed_at=value.observed_at,
    )
