"""A GraphQL type that shows a record without copying it."""

from collections.abc import Callable, Iterable
from inspect import cleandoc
from typing import Any, TypeVar

import strawberry
from strawberry.types.field import StrawberryField

from gateway.errors import System
from resolvers.inputs import NEEDS

T = TypeVar("T", bound=type)
PATH = "path"
"""The key of a field's metadata that says where in the record its value stands."""
PART = "part"
"""The key of the metadata that says whether what a resolver answers is a part of the object."""
UNKNOWNS = "unknowns"
"""The key of the metadata of the field that lists the others' unknowns."""
DEFINITION = "strawberry-definition"
"""Where Strawberry keeps what a field or a type was made of, among the extensions."""
_ID = "Opaque and stable: entity(id:) finds the same thing again."


def attribute(
    description: str, *origin: object, of: str = "", name: str | None = None, needs: Iterable[System] = ()
) -> Any:
    """Show an attribute of the record; `of` names the part that has it, `needs` the systems behind it."""
    return strawberry.field(
        name=name,
        description=description,
        directives=list(origin),
        metadata={PATH: of.split(".") if of else [], NEEDS: tuple(needs)},
    )


def answer(
    resolver: Callable[..., Any], *origin: object, needs: Iterable[System] = (), is_part: bool = False
) -> Any:
    """Ask a resolver; its docstring is the field's description, `needs` the systems that it reads.

    What it answers is a part where the object's `unknowns` are to list that of it too.
    """
    return strawberry.field(
        resolver=resolver,
        description=cleandoc(resolver.__doc__ or ""),
        directives=list(origin),
        metadata={NEEDS: tuple(needs), PART: is_part},
    )


def view(record: type) -> Callable[[T], T]:
    """Make a class the view of a record; every field must be there in the record, or be answered."""

    def decorate(cls: T) -> T:
        for name in cls.__annotations__:
            shown = cls.__dict__.get(name)
            if shown is None:
                setattr(cls, name, attribute(_ID))
            elif shown.base_resolver is not None or is_unknowns(shown):
                continue
            _refuse_unknown(record, cls, name)
        cls.is_type_of = classmethod(lambda _, shown, __: type(shown) is record)  # type: ignore[attr-defined]
        cls.record = record  # type: ignore[attr-defined]
        return strawberry.type(cls, description=cleandoc(cls.__doc__ or ""))

    return decorate


def path_of(field: StrawberryField) -> tuple[str, ...]:
    """Where in the record the value of a field stands."""
    return (*field.metadata.get(PATH, ()), field.python_name)


def _refuse_unknown(record: type, cls: type, name: str) -> None:
    part = getattr(cls.__dict__[name], "metadata", {}).get(PATH)
    first = part[0] if part else name
    if not hasattr(record, first):
        raise TypeError(
            f"{cls.__name__}.{name} shows {record.__name__}.{first}, which the record does not have"
        )


def unknowns() -> Any:
    """List why fields of the object, and of what it is made of, are null."""
    return strawberry.field(
        description="Why fields of this object are null, silent systems included.", metadata={UNKNOWNS: True}
    )


def is_part(field: StrawberryField) -> bool:
    """Whether what a field shows belongs to its object, and is no crossing to another."""
    return field.base_resolver is None or bool(field.metadata.get(PART))


def is_unknowns(field: StrawberryField) -> bool:
    """Whether a field lists the unknowns of its object."""
    return UNKNOWNS in field.metadata
