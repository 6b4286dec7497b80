"""What a change would do, and what came of it."""

from gateway.errors import System
from gateway.fleet import change as records
from gateway.fleet.changes import judgement
from resolvers import payload
from schema.capacity import GpuAllocation
from schema.controller import ControllerStatus
from schema.entity import Workload
from schema.gpu import GpuType
from schema.node import Node
from schema.problem import Problem
from schema.provenance import EVERY, MACHINES, derived
from schema.view import attribute, view

ORIGIN = derived("change", *EVERY)


@view(records.PlannedChange)
class PlannedChange:
    """One field that changes."""

    field: str = attribute("Its path in this schema, as in desired.migLayout.", ORIGIN)
    before: str | None = attribute("In the form that the input takes, as text; null: nothing.", ORIGIN)
    after: str | None = attribute("As before.", ORIGIN)


@view(judgement.Impact)
class Impact:
    """Who would be hurt by a change."""

    workloads: list[Workload] | None = attribute(
        "What would be evicted or lose its GPUs.", needs=[System.KUBERNETES, System.SLURM]
    )
    not_recreated: list[Workload] | None = attribute(
        "Those of them that nothing makes again.", needs=[System.KUBERNETES, System.SLURM]
    )
    hidden: bool = attribute("Work of others, unnamed for this caller, is among it.", ORIGIN)
    evicts: bool = attribute("Whether the gateway itself would evict them.", ORIGIN)
    cards: int | None = attribute("Cards that it is about; null where it is about none.", ORIGIN)
    message: str = attribute("One sentence, for a dialog.", ORIGIN)


CHANGES = "What changed, or would; empty: it was so already."
GENERATION = (
    "After it; in a dry run the one that there is: pass it as ifGeneration. Null where nothing was decided."
)
DRY_RUN = "Nothing was written."
PROBLEM = "Why nothing was changed."


@view(payload.NodePayload)
class NodePayload:
    """What came of a change of a machine."""

    node: Node | None = attribute("As it is now.", needs=MACHINES)
    changes: list[PlannedChange] = attribute(CHANGES, of="result")
    generation: int | None = attribute(GENERATION, ORIGIN, of="result")
    dry_run: bool = attribute(DRY_RUN, ORIGIN, of="result")
    problem: Problem | None = attribute(PROBLEM, of="result")


@view(payload.NodePayload)
class SetCordonPayload(NodePayload):
    """What came of setCordon."""


@view(payload.NodePayload)
class SetMigLayoutPayload(NodePayload):
    """What came of setMigLayout."""


@view(payload.NodePayload)
class AssignNodePayload(NodePayload):
    """What came of assignNode."""


@view(payload.NodePayload)
class ReleaseNodePayload(NodePayload):
    """What came of releaseNode."""


@view(payload.AllocationPayload)
class SetAllocationPayload:
    """What came of setAllocation."""

    allocation: GpuAllocation | None = attribute("As it is now.", needs=EVERY)
    changes: list[PlannedChange] = attribute(CHANGES, of="result")
    generation: int | None = attribute(GENERATION, ORIGIN, of="result")
    dry_run: bool = attribute(DRY_RUN, ORIGIN, of="result")
    problem: Problem | None = attribute(PROBLEM, of="result")


@view(payload.PricePayload)
class SetPricePayload:
    """What came of setPrice."""

    gpu_type: GpuType | None = attribute("As it is now.", needs=[System.PLATFORM])
    changes: list[PlannedChange] = attribute(CHANGES, of="result")
    dry_run: bool = attribute(DRY_RUN, ORIGIN, of="result")
    problem: Problem | None = attribute(PROBLEM, of="result")


@view(payload.PausePayload)
class SetPausePayload:
    """What came of setPause."""

    controller: ControllerStatus | None = attribute("As it is now.", needs=[System.PLATFORM])
    changes: list[PlannedChange] = attribute(CHANGES, of="result")
    dry_run: bool = attribute(DRY_RUN, ORIGIN, of="result")
    problem: Problem | None = attribute(PROBLEM, of="result")
