"""What the database refuses, as a caller is shown it."""

import asyncpg

from gateway.fleet.change import AssignNode, Change, ReleaseNode, SetAllocation
from gateway.fleet.planned_node import in_progress
from gateway.fleet.problem import Problem, ProblemCode, Refused
from gateway.sources.postgres.sqlstates import IN_CHANGE, NO_CARDS_LEFT

_BUSY = frozenset({"55P03", "40P01", "40001"})
"""Not to be locked in time, or in a circle with somebody else."""
_ABSENT = "23503"
_MEANINGLESS = ("22", "23")


def refusal(error: asyncpg.PostgresError, change: Change) -> Problem | None:
    """The problem that an error is; None where it is not about what was asked."""
    code = error.sqlstate or ""
    if code in _BUSY:
        return Refused(
            code=ProblemCode.OTHER,
            message="somebody else is changing the same: try again when they are done",
            retryable=True,
        )
    if code == IN_CHANGE and isinstance(change, AssignNode | ReleaseNode):
        return in_progress(change)
    if code == NO_CARDS_LEFT and isinstance(change, SetAllocation):
        return _not_so_many(change)
    if code == _ABSENT and isinstance(change, AssignNode):
        return no_tenant(change.tenant)
    if code.startswith(_MEANINGLESS):
        return Refused(
            code=ProblemCode.INVALID, message=f"the database refuses it: {error}; correct the input"
        )
    return None


def no_tenant(name: str) -> Refused:
    """What to answer where a tenant is named that is not there."""
    return Refused(
        code=ProblemCode.NOT_FOUND,
        message=f"there is no tenant {name!r}: choose one of `tenants`, or import it first",
        path=("tenant",),
    )


def _not_so_many(change: SetAllocation) -> Refused:
    return Refused(
        code=ProblemCode.EXCEEDS_CAPACITY,
        message=f"{change.tenant} has no {change.cards} healthy cards of {change.gpu_type} left for"
        f" {change.workspace}: give another workspace fewer, or ask for fewer",
        path=("cards",),
    )
