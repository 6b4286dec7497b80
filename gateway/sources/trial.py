"""What came of trying a source once: the words of `gpu-gateway check-config`."""

import enum
from dataclasses import dataclass

from gateway.errors import SourceError, SourceMisread, SourceRefused, SourceUnavailable


class Outcome(enum.Enum):
    """How a trial ended."""

    FINE = "ok"
    ABSENT = "absent"
    """The system has no such thing, and nothing is expected of it."""
    WARNING = "warning"
    """The gateway works, and something stays unknown or slower than need be."""
    FAILED = "FAILED"
    """Fields would be errors."""
    WRONG = "WRONG"
    """The settings make no sense."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One thing that was tried, what came of it, and what to do about it."""

    what: str
    outcome: Outcome
    said: str
    fix: str | None = None


def fine(what: str, said: str) -> Trial:
    """It works."""
    return Trial(what=what, outcome=Outcome.FINE, said=said)


def failed(what: str, error: SourceError, fix: str | None = None) -> Trial:
    """It does not; without a better fix, the one that the kind of failure suggests."""
    suggested = next((text for kind, text in _FIXES.items() if isinstance(error, kind)), None)
    return Trial(what=what, outcome=Outcome.FAILED, said=str(error), fix=fix or suggested)


_FIXES: dict[type[SourceError], str] = {
    SourceUnavailable: "check the address, the network between, and that it runs",
    SourceRefused: "give credentials that are good and may read this",
    SourceMisread: "check that the address is the one of such a server",
}
