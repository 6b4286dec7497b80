"""Reads conditions, which many kinds carry."""

from collections.abc import Iterable

import msgspec

from gateway.fleet.condition import Condition
from gateway.sources.kubernetes.decoding import read_time
from gateway.sources.sync import Problem


class RawCondition(msgspec.Struct):
    """A condition as it is written."""

    type: str
    status: str
    reason: str | None = None
    message: str | None = None
    since: str | None = msgspec.field(name="lastTransitionTime", default=None)


def read_conditions(written: Iterable[RawCondition] | None, problems: list[Problem]) -> tuple[Condition, ...]:
    """Read an object's conditions, in its order."""
    return tuple(
        Condition(
            type=condition.type,
            status=condition.status,
            reason=condition.reason,
            message=condition.message,
            since=read_time(condition.since, f"status.conditions[{at}].lastTransitionTime", problems),
        )
        for at, condition in enumerate(written or ())
    )
