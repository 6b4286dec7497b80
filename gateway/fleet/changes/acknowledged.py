"""Whether whoever asks for a change has said of all the work that it hurts that it may."""

from collections.abc import Iterable

from gateway.errors import Invalid
from gateway.fleet.changes.refusals import invalid, undecided
from gateway.fleet.changes.work import Work, name_of
from gateway.fleet.entity import EntityKind, read_id
from gateway.fleet.problem import Problem, ProblemCode, Refused, WorkloadsRunning
from gateway.fleet.unknown import Unknown

_WORKLOADS = {EntityKind.POD, EntityKind.SLURM_JOB}
_PATH = "acknowledgedWorkloads"
_MOST_NAMED = 3


def malformed(acknowledged: Iterable[str]) -> Refused | None:
    """What is wrong with the ids of workloads; one that is not there any more is no mistake."""
    strange = next((text for text in sorted(acknowledged) if not _is_workload(text)), None)
    if strange is None:
        return None
    said = f"{strange!r:.60} is no id of a workload: pass ids as `impact` and WORKLOADS_RUNNING name them"
    return invalid(said, _PATH)


def unacknowledged(work: Work, acknowledged: frozenset[str], what: str) -> Problem | None:
    """Why work keeps a change from being made."""
    if isinstance(work, Unknown):
        return undecided(work, f"which work {what} is not known")
    left = tuple(one for one in work if one.id not in acknowledged)
    if not left:
        return None
    names = ", ".join(name_of(one) for one in left[:_MOST_NAMED])
    more = f" and {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
    said = f"work {what}: {names}{more}; name each that may lose it in {_PATH}, or wait until it has ended"
    return WorkloadsRunning(
        code=ProblemCode.WORKLOADS_RUNNING, message=said, path=(_PATH,), unacknowledged=left
    )


def _is_workload(text: str) -> bool:
    try:
        kind, _ = read_id(text)
    except Invalid:
        return False
    return kind in _WORKLOADS
