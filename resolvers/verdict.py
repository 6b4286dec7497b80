"""Machines and whether they do, in pages."""

from collections.abc import Iterable

from gateway.fleet.diagnosis.judged_node import JudgedNode
from gateway.fleet.unknown import Unknown
from resolvers.paging import Asked, Page, page


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
