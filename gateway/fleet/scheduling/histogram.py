"""Adds up what nodes say, as a scheduler's message does."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from gateway.fleet.reasons.reason import PendingPart


def histogram(reasons: Iterable[PendingPart]) -> tuple[PendingPart, ...]:
    """One part for each reason with the number of its nodes, sorted as kube-scheduler sorts its entries."""
    nodes: Counter[PendingPart] = Counter()
    for reason in reasons:
        nodes[replace(reason, nodes=0)] += reason.nodes
    parts = (replace(reason, nodes=count) for reason, count in nodes.items())
    return tuple(sorted(parts, key=lambda part: f"{part.nodes} {part.text}"))
