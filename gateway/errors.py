"""Everything that can go wrong and that a caller may be told, as one tree.

GatewayError
├── Refused            the caller may not
├── Invalid            an argument, a file or a setting makes no sense
├── NotFound           a thing that was named is not there
├── Conflict           the thing changed meanwhile
└── SourceError        a system does not answer as it should
    ├── SourceUnavailable   no connection, or no answer in time: try later
    ├── SourceRefused       our credentials were turned down: an operator must act
    └── SourceMisread       an answer that we cannot read: the other side changed
"""

import enum
from typing import ClassVar


class System(enum.Enum):
    """A system that is the authority for some of the fleet's facts."""

    KUBERNETES = "KUBERNETES"
    PLATFORM = "PLATFORM"
    QUEUES = "QUEUES"
    SLURM = "SLURM"


class GatewayError(Exception):
    """What a caller may see; the message names the thing and the fix."""

    code: ClassVar[str] = "INTERNAL"


class Refused(GatewayError):
    """The caller may not."""

    code = "REFUSED"


class Invalid(GatewayError):
    """An argument, a file or a setting makes no sense."""

    code = "INVALID"


class NotFound(GatewayError):
    """A thing that was named is not there."""

    code = "NOT_FOUND"


class Conflict(GatewayError):
    """The thing changed meanwhile."""

    code = "CONFLICT"


class SourceError(GatewayError):
    """A system does not answer as it should."""

    code = "SOURCE_ERROR"

    def __init__(self, system: System, message: str) -> None:
        super().__init__(message)
        self.system = system


class SourceUnavailable(SourceError):
    """No connection, or no answer in time: try later."""

    code = "SOURCE_UNAVAILABLE"


class SourceRefused(SourceError):
    """Our credentials were turned down: an operator must act."""

    code = "SOURCE_REFUSED"


class SourceMisread(SourceError):
    """An answer that we cannot read: the other side changed."""

    code = "SOURCE_MISREAD"
