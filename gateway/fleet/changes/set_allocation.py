"""Judges an allocation: never more than is healthy, and never less than is held unless that was said."""

from dataclasses import replace

from gateway.fleet.capacity import GpuBalance
from gateway.fleet.change import SetAllocation
from gateway.fleet.changes.acknowledged import unacknowledged
from gateway.fleet.changes.holding import beyond
from gateway.fleet.changes.judgement import Impact, Judgement
from gateway.fleet.changes.pool import pool
from gateway.fleet.changes.refusals import invalid, not_found, undecided
from gateway.fleet.changes.work import Work, counted, impact_on
from gateway.fleet.fleet import Fleet
from gateway.fleet.platform import Allocation, PlatformRecords, Workspace
from gateway.fleet.problem import ExceedsCapacity, Problem, ProblemCode, Refused
from gateway.fleet.unknown import Unknown


def judge_allocation(change: SetAllocation, fleet: Fleet) -> Judgement:
    """Whether a workspace may have this many cards."""
    platform = fleet.platform
    if isinstance(platform, Unknown):
        said = f"what {change.tenant}/{change.workspace} was given is not known"
        impact = impact_on(platform, said, cards=platform)
        return Judgement(change=change, problem=undecided(platform, said, "workspace"), impact=impact)
    workspace = _workspace(change, platform)
    if isinstance(workspace, Refused):
        return Judgement(change=change, problem=workspace, impact=None)
    line = pool(workspace, change.gpu_type, fleet)
    change = replace(change, healthy=line.healthy if isinstance(line.healthy, int) else None)
    given = next((one for one in workspace.allocations if one.gpu_type == change.gpu_type), None)
    work = _losing(change, given, workspace, fleet)
    problem = _problem(change, given, line, work)
    return Judgement(change=change, problem=problem, impact=_impact(change, given, work))


def _workspace(change: SetAllocation, platform: PlatformRecords) -> Workspace | Refused:
    """Who is to have them, or why nobody can."""
    if change.cards < 0:
        return invalid(f"{change.cards} cards cannot be given: pass 0 or more", "cards")
    found = platform.workspaces.get((change.tenant, change.workspace))
    if change.tenant not in platform.tenants:
        return not_found("tenant", change.tenant, platform.tenants, "workspace", "tenant")
    if found is None:
        own = (name for tenant, name in platform.workspaces if tenant == change.tenant)
        return not_found(f"workspace of {change.tenant} called", change.workspace, own, "workspace", "name")
    if change.gpu_type not in platform.gpu_types:
        return not_found("GPU type", change.gpu_type, platform.gpu_types, "gpuType")
    return found


def _losing(change: SetAllocation, given: Allocation | None, workspace: Workspace, fleet: Fleet) -> Work:
    """The work that holds more than would be left; giving more takes from nobody."""
    if given is None or change.cards >= given.cards:
        return ()
    return beyond(change.cards, workspace, change.gpu_type, fleet)


def _problem(change: SetAllocation, given: Allocation | None, line: GpuBalance, work: Work) -> Problem | None:
    before = given.cards if given else 0
    if change.cards > before:
        return _exceeds(change, before, line)
    return unacknowledged(work, change.acknowledged, "holds cards that would be taken back")


def _exceeds(change: SetAllocation, before: int, line: GpuBalance) -> Problem | None:
    healthy, allocated = line.healthy, line.allocated
    what = f"healthy {change.gpu_type} of {change.tenant}"
    if isinstance(healthy, Unknown):
        return undecided(healthy, f"how many {what} there are is not known", "cards")
    others = (allocated if isinstance(allocated, int) else 0) - before
    room = (healthy or 0) - others
    if change.cards <= room:
        return None
    said = f"there are {healthy} {what}, {others} of them given to others: {max(0, room)} can be given"
    return ExceedsCapacity(code=ProblemCode.EXCEEDS_CAPACITY, message=said, path=("cards",), balance=line)


def _impact(change: SetAllocation, given: Allocation | None, work: Work) -> Impact:
    before = given.cards if given else 0
    if change.cards == before:
        return impact_on((), f"{change.workspace} has {before} {change.gpu_type} already", cards=0)
    said = f"{change.workspace} has {change.cards} {change.gpu_type} from then on, where it had {before}"
    if work:
        said += f"; {counted(work)} would hold more than that, until somebody reclaims it"
    return impact_on(work, said, cards=abs(change.cards - before))
