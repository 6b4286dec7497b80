"""Lists in pages: a cursor names the row after which the next page starts, and the list that it is of."""

import base64
import enum
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from heapq import nlargest, nsmallest
from operator import itemgetter
from typing import Generic, TypeVar

import msgspec

from gateway.errors import Invalid
from gateway.fleet.unknown import Unknown

R = TypeVar("R")
Key = tuple[str, ...]
MOST_ROWS = 1_000
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
"""What a bigint holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageInfo:
    """Where a page stands in its list."""

    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge(Generic[R]):
    """One row, and the place after which the next page starts."""

    cursor: str
    node: R


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[R]):
    """One page of a list."""

    edges: list[Edge[R]]
    nodes: list[R]
    page_info: PageInfo
    total_count: int | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Which page of which list."""

    first: int
    after: str | None
    scope: tuple[object, ...]
    """What tells a list from all others: whose it is, its filter and its order."""
    descending: bool = False


def page(rows: Iterable[tuple[Key, R]], asked: Asked, missing: Unknown | None = None) -> Page[R]:
    """Cut one page out of a list; `missing` says why there may be rows that nobody tells of."""
    pile = _Pile(rows, place_after(asked), asked)
    # One more than asked tells whether there are more; a list of 100,000 is never sorted, nor held.
    least = nlargest if asked.descending else nsmallest
    found = least(asked.first + 1, pile.left(), key=itemgetter(0))
    return _page(found, asked, missing or pile.total, has_previous=pile.passed > 0)


def place_after(asked: Asked) -> Key | None:
    """The place after which a page starts; None where it is the first."""
    if not 1 <= asked.first <= MOST_ROWS:
        raise Invalid(f"first: {asked.first} is not from 1 to {MOST_ROWS:,}")
    return None if asked.after is None else _read_cursor(asked.after, _mark(asked.scope))


def number_after(asked: Asked) -> int | None:
    """The same where rows go by a number that the database gave them."""
    place = place_after(asked)
    if place is None:
        return None
    if len(place) != 1 or not _NUMBER.fullmatch(place[0]):
        raise _no_cursor(asked.after)
    return int(place[0])


def page_of(found: Sequence[tuple[Key, R]], asked: Asked, total: int) -> Page[R]:
    """A page of rows that were cut elsewhere: those from its place on, one more than asked if there are."""
    return _page(found, asked, total, has_previous=asked.after is not None)


def _page(
    found: Sequence[tuple[Key, R]], asked: Asked, total: int | Unknown, *, has_previous: bool
) -> Page[R]:
    mark = _mark(asked.scope)
    shown = found[: asked.first]
    edges = [Edge(cursor=_cursor(key, mark), node=row) for key, row in shown]
    return Page(
        edges=edges,
        nodes=[row for _, row in shown],
        page_info=PageInfo(
            has_next_page=len(found) > len(shown),
            has_previous_page=has_previous,
            start_cursor=edges[0].cursor if edges else None,
            end_cursor=edges[-1].cursor if edges else None,
        ),
        total_count=total,
    )


class _Pile(Generic[R]):
    """Rows in no order, counted while they are gone through."""

    def __init__(self, rows: Iterable[tuple[Key, R]], start: Key | None, asked: Asked) -> None:
        self._rows = rows
        self._start = start
        self._descending = asked.descending
        self.total = 0
        self.passed = 0
        """Those on pages before."""

    def left(self) -> Iterator[tuple[Key, R]]:
        """Those after the place where the page starts."""
        for row in self._rows:
            self.total += 1
            if self._is_after(row[0]):
                yield row
            else:
                self.passed += 1

    def _is_after(self, key: Key) -> bool:
        if self._start is None:
            return True
        return key < self._start if self._descending else key > self._start


def _mark(scope: tuple[object, ...]) -> str:
    """Sign a list: the same in each replica, and in a release whose filters can say more."""
    text = json.dumps(scope, default=_said, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2s(text.encode(), digest_size=6).hexdigest()


def _said(value: object) -> object:
    """What an enum or an input says; nothing of what it leaves at its default."""
    if isinstance(value, enum.Enum):
        return value.value
    if is_dataclass(value):
        parts = ((one, getattr(value, one.name)) for one in fields(value))
        return {one.name: part for one, part in parts if part != one.default}
    raise TypeError(f"{value!r} cannot tell a list from others")


def _cursor(key: Key, mark: str) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode([mark, *key])).decode().rstrip("=")


def _read_cursor(text: str, mark: str) -> Key:
    try:
        written = base64.urlsafe_b64decode((text + "=" * (-len(text) % 4)).encode("ascii"))
        found, *key = msgspec.json.decode(written, type=list[str])
    except (ValueError, msgspec.DecodeError):
        raise _no_cursor(text) from None
    if found != mark:
        raise Invalid("after: this cursor is of another list, filter or order: start without it")
    return tuple(key)


def _no_cursor(text: str | None) -> Invalid:
    return Invalid(f"after: {text!r:.60} is no cursor: pass an endCursor of this list")
