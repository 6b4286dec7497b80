"""A value that is not known, and why; it stands in the slot where the value would."""

import enum
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias, TypeVar

from gateway.errors import System

T = TypeVar("T")


class UnknownCode(enum.Enum):
    """Why a value is not known."""

    UNDETERMINED = "UNDETERMINED"
    """The systems answer, and what they say does not decide."""
    SOURCE_UNAVAILABLE = "SOURCE_UNAVAILABLE"
    """The system was never reached."""
    SOURCE_STALE = "SOURCE_STALE"
    """The system was reached, and its last answer is older than `stale_after`."""
    OTHER = "OTHER"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """The reason why a slot holds no value. Never 0, never an empty list, never raised."""

    code: UnknownCode
    system: System
    reason: str
    place: str = ""
    """The cluster or Slurm that is silent; empty where there is only one such system."""
    observed_at: datetime | None = None
    """When the system was last heard of."""
    retryable: bool = True
    """False where waiting does not help: our credentials were turned down."""

    @property
    def is_silence(self) -> bool:
        """Whether a system does not answer, as opposed to answers that decide nothing."""
        return self.code is not UnknownCode.UNDETERMINED


Maybe: TypeAlias = T | Unknown | None
"""A value, or the reason why it is not known, or None: that system has no such thing."""


def undetermined(system: System, reason: str) -> Unknown:
    """The systems answer, and what they say does not decide."""
    return Unknown(code=UnknownCode.UNDETERMINED, system=system, reason=reason)
