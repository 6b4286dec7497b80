"""One change of one machine that an ask needs there."""

from collections.abc import Iterable
from dataclasses import dataclass

from gateway.fleet.alert import Remedy, RemedyAction
from gateway.fleet.node import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What to do, and the machine as it would be then."""

    remedies: tuple[Remedy, ...]
    after: Node | None
    """None: the ask fits then, without another look."""
    hurts: int = 0
    """Workloads that would lose what they hold."""


def on_node(action: RemedyAction, text: str, node: Node) -> tuple[Remedy, ...]:
    """Something to do to a machine."""
    return (Remedy(action=action, text=text, subject=node.id),)


def on_work(action: RemedyAction, texts: Iterable[tuple[str, str]]) -> tuple[Remedy, ...]:
    """Something to do to workloads, by id."""
    return tuple(Remedy(action=action, text=text, subject=subject) for subject, text in texts)
