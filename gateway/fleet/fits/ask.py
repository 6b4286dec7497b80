"""What is asked for: so many cards or slices as a set on one machine, or on each of several."""

from dataclasses import dataclass

from gateway.fleet.gpu import GpuType
from gateway.fleet.mig import MigProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Cards of a type, or slices of a profile."""

    gpu_type: GpuType | None
    """None: of whichever."""
    profile: MigProfile | None
    """None: whole cards."""
    count: int
    """On one machine."""
    nodes: int
    """On so many machines of one cluster."""
    tenant: str | None
    """On its machines; None: on anybody's."""

    @property
    def words(self) -> str:
        """What is asked of one machine, for people."""
        if self.profile is None:
            return f"{self.count} x {self.gpu_type.name if self.gpu_type else 'card'}"
        of = f" of {self.gpu_type.name}" if self.gpu_type else ""
        return f"{self.count} x {self.profile.name}{of}"
