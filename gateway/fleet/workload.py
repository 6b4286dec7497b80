"""Work that holds GPUs or waits for them, whichever scheduler it belongs to."""

import enum


class WorkloadState(enum.Enum):
    """How far a piece of work is."""

    PENDING = "PENDING"
    STARTING = "STARTING"
    """Bound to a node and holding its GPUs, not running yet."""
    RUNNING = "RUNNING"
    SUSPENDED = "SUSPENDED"
    TERMINATING = "TERMINATING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    UNKNOWN = "UNKNOWN"
