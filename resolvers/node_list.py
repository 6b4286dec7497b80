"""Lists of machines in pages, by filter and in order."""

from collections.abc import Iterable
from dataclasses import replace

from gateway.fleet.fleet import Fleet
from gateway.fleet.node import Node
from gateway.fleet.unknown import Unknown
from resolvers.inputs import NodeFilter, NodeOrder
from resolvers.node_filter import chosen_nodes
from resolvers.node_order import BY_NAME, is_descending, keyed
from resolvers.paging import Asked, Page, page


def node_page(
    nodes: Iterable[Node],
    fleet: Fleet,
    asked: Asked,
    filter: NodeFilter | None,
    order_by: NodeOrder | None,
    missing: Unknown | None = None,
) -> Page[Node] | Unknown:
    """One page of machines; a filter or an order on a silent system is that system's silence."""
    wanted, order = filter or NodeFilter(), order_by or BY_NAME
    kept = chosen_nodes(nodes, wanted, fleet)
    rows = kept if isinstance(kept, Unknown) else keyed(kept, order)
    if isinstance(rows, Unknown):
        return rows
    listed = replace(asked, scope=(*asked.scope, wanted, order), descending=is_descending(order))
    return page(rows, listed, missing)
