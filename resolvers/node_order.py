"""In which order machines are listed, as keys that a cursor can hold."""

from collections.abc import Callable, Iterable, Mapping

from gateway.fleet.free import free_cards
from gateway.fleet.node import Node
from gateway.fleet.terms import node_cards
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.inputs import Direction, NodeOrder, NodeOrderField
from resolvers.node_filter import first_silence
from resolvers.paging import Key

BY_NAME = NodeOrder(by=NodeOrderField.NAME)
_NUMBERS: Mapping[NodeOrderField, Callable[[Node], Maybe[int]]] = {
    NodeOrderField.CARDS: node_cards,
    NodeOrderField.FREE_CARDS: free_cards,
}
_MOST = 10**12
_LAST = "~"
"""Behind all digits."""


def keyed(nodes: Iterable[Node], order: NodeOrder) -> list[tuple[Key, Node]] | Unknown:
    """The machines with their places in this order; where only a silent system knows one, its silence."""
    number = _NUMBERS.get(order.by)
    if number is None:
        return [((node.name, node.cluster), node) for node in nodes]
    counted = [(number(node), node) for node in nodes]
    silence = first_silence(count for count, _ in counted)
    if silence:
        return silence
    return [((_place(count, order.direction), node.name, node.cluster), node) for count, node in counted]


def is_descending(order: NodeOrder) -> bool:
    """Whether keys are read from the last; numbers turn in their keys, so that their names still ascend."""
    return order.by not in _NUMBERS and order.direction is Direction.DESC


def _place(count: Maybe[int], direction: Direction) -> str:
    """Text that sorts as the number does; a number that is not there or not known comes last."""
    if count is None or isinstance(count, Unknown):
        return _LAST
    bounded = min(count, _MOST)
    rank = bounded if direction is Direction.ASC else _MOST - bounded
    return f"{rank:013d}"
