"""Sums that are either whole or unknown: never a part that looks like all."""

from collections.abc import Iterable

from gateway.fleet.unknown import Maybe, Unknown, UnknownCode

_MOST_NAMED = 3


def total(values: Iterable[tuple[str, Maybe[int]]]) -> int | Unknown:
    """Add up what each named thing has; one unknown makes the whole unknown, and says whose."""
    known = 0
    unknown: list[tuple[str, Unknown]] = []
    for name, value in values:
        if isinstance(value, Unknown):
            unknown.append((name, value))
        else:
            known += value or 0
    return _because(unknown) if unknown else known


def first_unknown(*values: object) -> Unknown | None:
    """The first of these that is unknown, silence before all."""
    unknown = [value for value in values if isinstance(value, Unknown)]
    return next((value for value in unknown if value.is_silence), unknown[0] if unknown else None)


def _because(unknown: list[tuple[str, Unknown]]) -> Unknown:
    """Silence before all; else the first by name, so that every replica says the same."""
    unknown.sort(key=lambda item: item[0])
    for _, value in unknown:
        if value.is_silence:
            return value
    named = "; ".join(f"{name}: {value.reason}" for name, value in unknown[:_MOST_NAMED])
    more = f"; and {len(unknown) - _MOST_NAMED} more" if len(unknown) > _MOST_NAMED else ""
    return Unknown(code=UnknownCode.UNDETERMINED, system=unknown[0][1].system, reason=named + more)


def above(more: Maybe[int], less: Maybe[int]) -> Maybe[int]:
    """How much more one is than the other; never below 0."""
    unknown = first_unknown(more, less)
    if unknown:
        return unknown
    return max(0, more - less) if isinstance(more, int) and isinstance(less, int) else None
