"""What annotations of records and resolvers promise, in GraphQL's words: Node | Unknown is Node."""

import enum
import types
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any, Union, get_args, get_origin, get_type_hints

from gateway.fleet.problem import Problem
from gateway.fleet.unknown import Unknown
from resolvers.paging import Page
from tests.schema.graph import GRAPH, INTERFACES, OBJECTS

NAMES: dict[Any, str] = {
    str: "String",
    int: "Int",
    bool: "Boolean",
    datetime: "DateTime",
    Decimal: "Decimal",
    object: "Entity",
    Problem: "Problem",
}
BLANK = {Unknown, None, type(None)}
ANYTHING = "anything"
"""What None alone promises: null in the place of any type."""


def view_of(kind: Any) -> Any:
    """The class behind a GraphQL type."""
    definition = kind.extensions.get("strawberry-definition")
    return definition.origin if definition else None


VIEWS = {kind.name: view_of(kind) for kind in OBJECTS if hasattr(view_of(kind), "record")}
RECORDS = {view.record: name for name, view in VIEWS.items()}


def promised(annotation: Any) -> str:
    """What values of this annotation are in GraphQL; Unknown and None are null."""
    kept = [part for part in _alternatives(annotation) if part not in BLANK]
    return _named(kept) + ("!" if len(kept) == len(_alternatives(annotation)) else "")


def promise_of(record: Any, path: Iterable[str]) -> str:
    """What an attribute of a record is in GraphQL, or of a part of it that may be missing."""
    annotation, missing = record, False
    for name in path:
        (owner,) = (part for part in _alternatives(annotation) if part not in BLANK)
        missing = missing or annotation is not owner
        annotation = _attribute(owner, name)
    shown = promised(annotation)
    return shown.removesuffix("!") if missing else shown


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in {Union, types.UnionType} else (annotation,)


def _named(kinds: list[Any]) -> str:
    if not kinds:
        return ANYTHING
    if len(kinds) > 1:
        return _interface({RECORDS[kind] for kind in kinds})
    (kind,) = kinds
    if get_origin(kind) in {list, tuple}:
        return f"[{promised(get_args(kind)[0])}]"
    if get_origin(kind) is Page:
        return RECORDS[get_args(kind)[0]] + "Connection"
    return RECORDS.get(kind) or NAMES.get(kind) or _enum(kind)


def _enum(kind: Any) -> str:
    assert issubclass(kind, enum.Enum), f"no GraphQL type shows {kind}"
    return kind.__name__


def _interface(names: set[str]) -> str:
    """The interface that these types alone implement."""
    alike = [one for one in INTERFACES if {kind.name for kind in GRAPH.get_possible_types(one)} == names]
    return alike[0].name


def _attribute(record: Any, name: str) -> Any:
    shown = getattr(record, name)
    if isinstance(shown, property):
        return get_type_hints(shown.fget)["return"]
    return get_type_hints(record)[name]
