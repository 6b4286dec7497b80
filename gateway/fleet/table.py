"""Rows by key and by group, persistent: a change makes a new table that shares all the rest."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from immutables import Map

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")
Grouping = Callable[[R], Iterable[Hashable]]
"""Which groups a row belongs to."""


class Table(Generic[K, R]):
    """An immutable collection whose groupings are kept by change; a group keeps its identity meanwhile."""

    __slots__ = ("_groupings", "_groups", "rows")

    def __init__(self, **groupings: Grouping[R]) -> None:
        self.rows: Map[K, R] = Map()
        self._groupings: Mapping[str, Grouping[R]] = groupings
        self._groups: Map[tuple[str, Hashable], Map[K, R]] = Map()

    def get(self, key: K) -> R | None:
        """The row of this key."""
        return self.rows.get(key)

    def group(self, grouping: str, group: Hashable) -> Map[K, R]:
        """The rows of one group, by key."""
        return self._groups.get((grouping, group), _NOTHING)

    def changed(self, rows: Mapping[K, R | None]) -> "Table[K, R]":
        """The same table with these rows set, or taken out where None."""
        news = {key: row for key, row in rows.items() if self.rows.get(key) is not row}
        if not news:
            return self
        table: Table[K, R] = Table(**self._groupings)
        table._groups = self._regrouped(news)
        table.rows = updated(self.rows, news)
        return table

    def _regrouped(self, rows: Mapping[K, R | None]) -> Map[tuple[str, Hashable], Map[K, R]]:
        moves: defaultdict[tuple[str, Hashable], dict[K, R | None]] = defaultdict(dict)
        for key, row in rows.items():
            before = self.rows.get(key)
            for name, grouping in self._groupings.items():
                if before is not None:
                    for group in grouping(before):
                        moves[name, group][key] = None
                if row is not None:
                    for group in grouping(row):
                        moves[name, group][key] = row
        changes = {at: updated(self._groups.get(at, _NOTHING), moved) or None for at, moved in moves.items()}
        return updated(self._groups, changes)


_NOTHING: "Map[Any, Any]" = Map()


def updated(rows: "Map[K, R]", changes: Mapping[K, R | None]) -> "Map[K, R]":
    """The same map with these set, or taken out where None."""
    draft = rows.mutate()
    for key, row in changes.items():
        if row is not None:
            draft[key] = row
        else:
            draft.pop(key, None)
    return draft.finish()
