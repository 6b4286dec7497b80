"""Lists in pages: a cursor names the row after which the next page starts, and the list that it is of."""

import base64
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from gateway.errors import Invalid
from gateway.fleet.unknown import Unknown

R = TypeVar("R")
Key = tuple[str, ...]
MOST_ROWS = 1_000


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
    """Which page of which list: `scope` tells apart lists by owner, filter and order."""

    first: int
    after: str | None
    scope: str
    descending: bool = False


def page(rows: Iterable[tuple[Key, R]], asked: Asked, missing: Unknown | None = None) -> Page[R]:
    """Cut one page out of a list; `missing` says why there may be rows that nobody tells of."""
    if not 1 <= asked.first <= MOST_ROWS:
        raise Invalid(f"first: {asked.first} is not from 1 to {MOST_ROWS:,}")
    mark = _mark(asked.scope)
    ordered = sorted(rows, key=lambda row: row[0], reverse=asked.descending)
    start = _read_cursor(asked.after, mark) if asked.after is not None else None
    left = ordered if start is None else [row for row in ordered if _is_after(row[0], start, asked)]
    shown = left[: asked.first]
    edges = [Edge(cursor=_cursor(key, mark), node=row) for key, row in shown]
    return Page(
        edges=edges,
        nodes=[row for _, row in shown],
        page_info=PageInfo(
            has_next_page=len(left) > len(shown),
            has_previous_page=len(left) < len(ordered),
            start_cursor=edges[0].cursor if edges else None,
            end_cursor=edges[-1].cursor if edges else None,
        ),
        total_count=missing or len(ordered),
    )


def _is_after(key: Key, start: Key, asked: Asked) -> bool:
    return key < start if asked.descending else key > start


def _mark(scope: str) -> str:
    return hashlib.blake2s(scope.encode(), digest_size=6).hexdigest()


def _cursor(key: Key, mark: str) -> str:
    text = json.dumps([mark, *key], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_cursor(text: str, mark: str) -> Key:
    try:
        padded = text + "=" * (-len(text) % 4)
        found, *key = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
    except ValueError:
        raise Invalid(f"after: {text!r} is no cursor: pass an endCursor of this list") from None
    if found != mark or not all(isinstance(part, str) for part in key):
        raise Invalid("after: this cursor is of another list, filter or order: start without it")
    return tuple(key)
