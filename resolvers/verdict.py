"""Machines and whether they do, in pages."""

from collections.abc import Iterable

from gateway.errors import Invalid
from gateway.fleet.diagnosis.judged_node import JudgedNode
from gateway.fleet.unknown import Unknown
from resolvers.context import Context
from resolvers.paging import Asked, Page, page

_MOST_JUDGED = 10_000


def count_judged(context: Context, nodes: int, field: str) -> None:
    """Each pod and each ask is judged on every node: a second one must not keep all other callers waiting."""
    before, context.judged_nodes = context.judged_nodes, context.judged_nodes + nodes
    if before and context.judged_nodes > _MOST_JUDGED:
        raise Invalid(
            f"{field}: one request has at most {_MOST_JUDGED:,} nodes judged for all that it asks, "
            f"and each here takes {nodes:,}: ask for fewer at a time"
        )


def verdict_page(
    judged: Iterable[JudgedNode],
    fits: bool | None,  # noqa: FBT001  a filter of three values, null for all
    asked: Asked,
    missing: Unknown | None = None,
) -> Page[JudgedNode]:
    """Those that do or do not, by cluster and name; where nobody can say it is neither."""
    rows = (
        ((one.node.cluster, one.node.name), one) for one in judged if fits is None or one.verdict.fits is fits
    )
    return page(rows, asked, missing)
