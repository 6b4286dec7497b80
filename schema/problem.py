"""Why nothing was changed: data, so that what was asked beside it is answered too."""

import strawberry

from gateway.fleet import problem as records
from gateway.fleet.problem import ProblemCode
from schema.capacity import GpuBalance
from schema.entity import Workload
from schema.mig import MigProfile
from schema.provenance import EVERY, derived
from schema.view import attribute, view

ORIGIN = derived("change", *EVERY)


@strawberry.interface(description="Why nothing was changed.")
class Problem:
    """Why nothing was changed."""

    code: ProblemCode = attribute("The kind of reason, for bots.", ORIGIN)
    message: str = attribute("Names the thing and the fix, for people.", ORIGIN)
    path: list[str] | None = attribute("The part of the input that it is about.", ORIGIN)
    retryable: bool = attribute("The same again may work, without anybody doing anything.", ORIGIN)


@view(records.Refused)
class Refused(Problem):
    """Not to be done as asked."""


@view(records.GenerationConflict)
class GenerationConflict(Problem):
    """Somebody changed it since the caller looked."""

    current_generation: int = attribute("The one that there is now.", ORIGIN)


@view(records.InvalidMigLayout)
class InvalidMigLayout(Problem):
    """The cards cannot be cut that way."""

    card: int | None = attribute("The index of the first card that cannot; null: no single one.", ORIGIN)
    valid_profiles: list[MigProfile] | None = attribute(
        "What that card could have instead; null where it is not known."
    )


@view(records.WorkloadsRunning)
class WorkloadsRunning(Problem):
    """Work would lose its GPUs that was not acknowledged."""

    unacknowledged: list[Workload] = attribute("Pass their ids as acknowledgedWorkloads to go on.")
    hidden: bool = attribute("Work of others, unnamed for this caller, is there too.", ORIGIN)


@view(records.ExceedsCapacity)
class ExceedsCapacity(Problem):
    """There are not so many healthy cards."""

    balance: GpuBalance = attribute("The line of the account that is too short.")


PROBLEMS = [Refused, GenerationConflict, InvalidMigLayout, WorkloadsRunning, ExceedsCapacity]
"""All that implement it: no field names one of them by itself."""
