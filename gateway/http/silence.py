"""What an answer says of silent systems: folded errors, and how fresh each system was."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from gateway.errors import System
from gateway.fleet.source import SourceStatus
from resolvers.context import Note


@dataclass(slots=True)
class _Fold:
    first: Note
    count: int = 0


def silence_errors(notes: Iterable[Note]) -> list[dict[str, object]]:
    """One error for each path (list positions left out), code, system and place, with the first's path."""
    folds: dict[object, _Fold] = {}
    for note in notes:
        reason = note.unknown
        key = (without_positions(note.path), reason.code, reason.system, reason.place)
        folds.setdefault(key, _Fold(note)).count += 1
    return [_error(fold) for fold in folds.values()]


def without_positions(path: Iterable[str | int]) -> tuple[str, ...]:
    """The names of a path, so that every row of a list has the same."""
    return tuple(key for key in path if isinstance(key, str))


def used_sources(sources: Iterable[SourceStatus], used: AbstractSet[System]) -> list[dict[str, object]]:
    """The sources of the systems that an answer rests on."""
    return [_source(source) for source in sources if source.system in used]


def _error(fold: _Fold) -> dict[str, object]:
    reason = fold.first.unknown
    extensions: dict[str, object] = {"code": reason.code.value, "system": reason.system.value}
    if reason.place:
        extensions["cluster"] = reason.place
    extensions |= {
        "observedAt": reason.observed_at,
        "retryable": reason.retryable,
        "count": fold.count,
    }
    return {"message": reason.reason, "path": list(fold.first.path), "extensions": extensions}


def _source(source: SourceStatus) -> dict[str, object]:
    return {
        "name": source.name,
        "system": source.system.value,
        "cluster": source.place or None,
        "state": source.state.value,
        "observedAt": source.last_success_at,
    }
