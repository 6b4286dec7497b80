"""Judges any change by the one fleet that a request sees."""

from gateway.fleet.change import Change
from gateway.fleet.changes.judgement import Judgement
from gateway.fleet.fleet import Fleet


def judge(change: Change, fleet: Fleet) -> Judgement:
    """Say what is against a change, complete it, and tell whom it would hurt."""
    raise NotImplementedError
