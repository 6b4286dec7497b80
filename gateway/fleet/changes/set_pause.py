"""Judges a pause of a controller."""

from gateway.fleet.change import SetPause
from gateway.fleet.changes.judgement import Judgement
from gateway.fleet.changes.refusals import undecided
from gateway.fleet.fleet import Fleet
from gateway.fleet.planned import planned_pause
from gateway.fleet.problem import Problem
from gateway.fleet.unknown import Unknown


def judge_pause(change: SetPause, fleet: Fleet) -> Judgement:
    """Whether a controller may be stopped or let go on; no work is hurt by it."""
    platform = fleet.platform
    if isinstance(platform, Unknown):
        refused = undecided(platform, "which controllers there are is not known", "controller")
        return Judgement(change=change, problem=refused, impact=None)
    plan = planned_pause(change, platform.controllers)
    return Judgement(change=change, problem=plan if isinstance(plan, Problem) else None, impact=None)
