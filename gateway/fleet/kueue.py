"""Kueue's workloads: a job that waits in its queue has no pods yet, so the reason stands here."""

from dataclasses import dataclass

from gateway.fleet.condition import Condition

WORKLOADS = "workloads"


@dataclass(frozen=True, slots=True, kw_only=True)
class KueueWorkload:
    """What Kueue admits as a whole."""

    cluster: str
    namespace: str
    name: str
    uid: str
    owner: str | None
    """kind/name of the job that it stands for."""
    waits: Condition | None
    """QuotaReserved or Admitted, while it is False and the work has not ended."""
