"""A machine beside what is said of it."""

from dataclasses import dataclass

from gateway.fleet.node import Node
from gateway.fleet.scheduling.verdict import NodeVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedNode:
    """A machine, and whether it does for a pod or an ask."""

    node: Node
    verdict: NodeVerdict
