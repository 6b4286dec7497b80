"""What is simulated: clusters, Slurms and platform records, and where the clock stands."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from gateway.simulator.documents import Problem
from gateway.simulator.kubernetes import KubernetesApi
from gateway.simulator.slurmrestd import Slurmrestd


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedSlurm:
    """One Slurm, and the Kubernetes cluster that its nodes belong to."""

    api: Slurmrestd
    cluster: str


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything a gateway can be pointed at."""

    clusters: Mapping[str, KubernetesApi]
    slurms: Mapping[str, SimulatedSlurm]
    platform_file: Path | None = None
    now: datetime | None = None
    """Where the clock stands; None: it runs."""
    problems: tuple[Problem, ...] = ()
    """What of a bundle could not be read."""
    life: Callable[[], Coroutine[None, None, None]] | None = None
    """What goes on by itself for as long as the world is served."""
