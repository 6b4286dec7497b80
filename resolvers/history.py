"""Who changed which field of a machine, read from the database: one question for all that a request asks."""

from collections.abc import Sequence

import strawberry
from strawberry.dataloader import DataLoader

from gateway.errors import Invalid
from gateway.fleet.history import FieldChange, History, HistoryAsked
from gateway.fleet.node import Node
from gateway.fleet.ports import PlatformWriter
from resolvers.context import Context, Info
from resolvers.paging import Asked, Page, number_after, page_of

_MOST_CHANGES = 10_000


async def history(
    node: strawberry.Parent[Node], info: Info, first: int = 20, after: str | None = None
) -> Page[FieldChange] | None:
    """Every change of its fields, newest first; null without an error where there are no platform records."""
    writer = info.context.writer
    if writer is None:
        return None
    asked = Asked(first=first, after=after, scope=("history", node.id))
    found = await _loader(info.context, writer).load(
        HistoryAsked(cluster=node.cluster, node=node.name, before=number_after(asked), limit=first + 1)
    )
    rows = [((str(change.number),), change) for change in found.changes]
    return page_of(rows, asked, found.total)


def _loader(context: Context, writer: PlatformWriter) -> DataLoader[HistoryAsked, History]:
    """Gathers what is asked at the same time."""

    async def load(asked: list[HistoryAsked]) -> Sequence[History]:
        rows = sum(one.limit for one in asked)
        if rows > _MOST_CHANGES:
            raise Invalid(
                f"history: {rows:,} changes are more than {_MOST_CHANGES:,}: ask for fewer at a time"
            )
        return await writer.history(asked)

    if context.history is None:
        context.history = DataLoader(load_fn=load)
    return context.history
