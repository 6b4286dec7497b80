"""docs/fields.md: where each field's value comes from. Print it: python -m schema.fields."""

import sys
from collections.abc import Iterable

from graphql import GraphQLField, GraphQLObjectType

from gateway.errors import System
from schema.build import SYSTEMS, build, executable
from schema.provenance import Derived, OwnedBy, Source
from schema.view import DEFINITION

_HEAD = """# Fields

Where each field's value comes from, generated from the schema by `make schema`.
A value is read at one place of one system, or computed by a rule of [accounting.md](accounting.md) from what
the systems named say. An object or a list rests on the systems named: while one of them is silent it may be
null, or say less. A field without an origin follows from the object that it stands in.
"""
_COLUMNS = "\n| field | type | from | |\n|---|---|---|---|\n"
_BESIDE_DATA = ("Connection", "Edge", "PageInfo")


def fields_page() -> str:
    """The page."""
    kinds = sorted(executable(build()).type_map.items())
    return _HEAD + "".join(
        _section(kind) for name, kind in kinds if isinstance(kind, GraphQLObjectType) and _is_told(name)
    )


def _is_told(name: str) -> bool:
    """Pages of lists and the introspection's own types are alike in every schema."""
    return not name.startswith("__") and not name.endswith(_BESIDE_DATA)


def _section(kind: GraphQLObjectType) -> str:
    rows = "".join(_row(name, field) for name, field in kind.fields.items())
    return f"\n## {kind.name}\n\n{_line(kind.description)}\n{_COLUMNS}{rows}"


def _row(name: str, field: GraphQLField) -> str:
    arguments = f"({', '.join(field.args)})" if field.args else ""
    return f"| `{name}{arguments}` | `{field.type}` | {_origin(field)} | {_line(field.description)} |\n"


def _origin(field: GraphQLField) -> str:
    definition = field.extensions[DEFINITION]
    read = [one for one in definition.directives if isinstance(one, Source)]
    computed = [one for one in definition.directives if isinstance(one, Derived)]
    told = [f"{one.system.value} `{one.path}`" for one in read]
    told += [f"{_names(one.systems) or 'settings'}, {_rule(one.rule)}" for one in computed]
    told = told or [_names(field.extensions[SYSTEMS])]
    told += [
        f"written by {one.writer.value} alone" for one in definition.directives if isinstance(one, OwnedBy)
    ]
    return ", ".join(one for one in told if one)


def _rule(name: str) -> str:
    return f"rule [{name}](accounting.md#{name})"


def _names(systems: Iterable[System]) -> str:
    return ", ".join(sorted(system.value for system in systems))


def _line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(fields_page())
