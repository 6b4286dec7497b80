"""Whether kube-scheduler would make room by evicting others."""

from collections.abc import Iterable
from dataclasses import dataclass

from gateway.fleet.pod import Pod
from gateway.fleet.scheduling.preemption import prospect
from gateway.fleet.scheduling.verdict import NodeVerdict
from gateway.fleet.scheduling.view import ClusterView
from gateway.fleet.unknown import Unknown

_MOST_TRIED = 500
"""A hard question is left open rather than keep every other caller waiting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Eviction:
    """What evicting pods of lower priority would bring."""

    node: str | None
    """Where it would make room, the first by name."""
    is_open: bool = False
    """Nobody can say whether it would anywhere."""


def eviction_of(pod: Pod, verdicts: Iterable[NodeVerdict], view: ClusterView) -> Eviction:
    """Look for a node where it would make room."""
    is_open, tried = False, 0
    for verdict in verdicts:
        if isinstance(verdict.fits, Unknown):
            is_open = True
        elif verdict.resolvable:
            tried += 1
            helps = prospect(pod, verdict, view).helps
            if helps is True:
                return Eviction(node=verdict.node)
            is_open |= isinstance(helps, Unknown)
        if tried == _MOST_TRIED:
            return Eviction(node=None, is_open=True)
    return Eviction(node=None, is_open=is_open)
