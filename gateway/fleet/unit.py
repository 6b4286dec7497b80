"""What a count of GPUs counts."""

import enum


class GpuUnit(enum.Enum):
    """What a count counts; units are never added to one another."""

    CARD = "CARD"
    """A physical GPU."""
    SLICE = "SLICE"
    """A MIG instance."""
    SHARE = "SHARE"
    """A time-slicing or MPS replica."""
    CORE = "CORE"
    MEMORY = "MEMORY"
    """MiB of a vGPU."""
