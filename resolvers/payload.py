"""What a mutation answers: what came of the change, and the thing that it is about as it is now."""

from dataclasses import dataclass

from gateway.fleet.capacity import GpuAllocation
from gateway.fleet.change import PlannedChange
from gateway.fleet.desired import Controller
from gateway.fleet.gpu import GpuType
from gateway.fleet.node import Node
from gateway.fleet.problem import Problem
from gateway.fleet.unknown import Maybe


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a change."""

    dry_run: bool
    changes: tuple[PlannedChange, ...] = ()
    generation: int | None = None
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePayload:
    """What came of a change of a node."""

    node: Maybe[Node]
    result: Result


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationPayload:
    """What came of a change of an allocation."""

    allocation: Maybe[GpuAllocation]
    result: Result


@dataclass(frozen=True, slots=True, kw_only=True)
class PricePayload:
    """What came of a new price."""

    gpu_type: GpuType | None
    result: Result


@dataclass(frozen=True, slots=True, kw_only=True)
class PausePayload:
    """What came of a pause."""

    controller: Maybe[Controller]
    result: Result
