"""Judges any change by the one fleet that a request sees."""

from gateway.fleet.change import (
    AssignNode,
    Change,
    NodeChange,
    ReleaseNode,
    SetAllocation,
    SetCordon,
    SetMigLayout,
    SetPause,
    SetPrice,
)
from gateway.fleet.changes.acknowledged import malformed
from gateway.fleet.changes.assign_node import judge_assignment
from gateway.fleet.changes.judgement import Judgement
from gateway.fleet.changes.release_node import judge_release
from gateway.fleet.changes.set_allocation import judge_allocation
from gateway.fleet.changes.set_cordon import judge_cordon
from gateway.fleet.changes.set_mig_layout import judge_layout
from gateway.fleet.changes.set_pause import judge_pause
from gateway.fleet.changes.set_price import judge_price
from gateway.fleet.fleet import Fleet

_HURTING = (SetMigLayout, AssignNode, ReleaseNode, SetAllocation)
"""Changes for which work must be acknowledged."""


def judge(change: Change, fleet: Fleet) -> Judgement:
    """Say what is against a change, complete it, and tell whom it would hurt."""
    strange = malformed(change.acknowledged) if isinstance(change, _HURTING) else None
    return Judgement(change=change, problem=strange, impact=None) if strange else _judged(change, fleet)


def _judged(change: Change, fleet: Fleet) -> Judgement:
    match change:
        case SetAllocation():
            return judge_allocation(change, fleet)
        case SetPrice():
            return judge_price(change, fleet)
        case SetPause():
            return judge_pause(change, fleet)
        case _:
            return _of_node(change, fleet)


def _of_node(change: NodeChange, fleet: Fleet) -> Judgement:
    match change:
        case SetCordon():
            return judge_cordon(change, fleet)
        case SetMigLayout():
            return judge_layout(change, fleet)
        case AssignNode():
            return judge_assignment(change, fleet)
        case _:
            return judge_release(change, fleet)
