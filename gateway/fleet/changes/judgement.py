"""What is to be said of a change before it is made."""

from dataclasses import dataclass
from typing import TypeAlias

from gateway.fleet.change import Change
from gateway.fleet.pod import Pod
from gateway.fleet.problem import Problem
from gateway.fleet.slurm import SlurmJob
from gateway.fleet.unknown import Maybe, Unknown

Workload: TypeAlias = Pod | SlurmJob


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """Who would be hurt by a change."""

    workloads: tuple[Workload, ...] | Unknown
    """What would be evicted or lose its cards, of both schedulers, sorted by name."""
    not_recreated: tuple[Workload, ...] | Unknown
    """Those of them that no controller makes again."""
    evicts: bool
    """Whether the reconciler would evict them."""
    cards: Maybe[int]
    """Cards that the change is about; None where it is about none."""
    message: str
    """One sentence for a person."""
    hidden: bool = False
    """Work that this caller may not see is among it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A change as it is to be written, what is against it, and whom it would hurt."""

    change: Change
    """Completed: with the node's uid or healthy cards as this replica sees them, names in their own form."""
    problem: Problem | None
    impact: Impact | None
    """None where what is asked makes no sense, so nothing can be said of it."""
