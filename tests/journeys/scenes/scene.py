"""A scene: what is in a cluster, and what is found of the pod that waits there."""

from typing import NamedTuple


class Scene(NamedTuple):
    """What is there beside the pod that waits, and what is found of it."""

    there: list[object]
    code: str | None
    check: str
    outcome: str
    finding: str
    """A part of it."""
    action: str | None = None
    """What is advised, by the check or by the whole diagnosis."""


def fails(there, code, check, finding, action=None):
    """A scene in which a check fails."""
    return Scene(there, code, check, "FAIL", finding, action)
