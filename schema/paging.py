"""Lists in pages."""

from typing import Generic, TypeVar

import strawberry

T = TypeVar("T")


@strawberry.type(description="Where a page stands in its list.")
class PageInfo:
    """Where a page stands in its list."""

    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


@strawberry.type(description="One row of a page, and the place after which the next page starts.")
class Edge(Generic[T]):
    """One row of a page."""

    cursor: str
    node: T


@strawberry.type(
    description="One page of a list. totalCount is null where a silent system may know more rows."
)
class Connection(Generic[T]):
    """One page of a list."""

    edges: list[Edge[T]]
    nodes: list[T]
    page_info: PageInfo
    total_count: int | None
