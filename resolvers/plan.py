"""What a change would come to: what the database would do, by the records that this request sees."""

from gateway.fleet.change import Change, SetAllocation, SetPause, SetPrice, Written
from gateway.fleet.fleet import Fleet
from gateway.fleet.planned import Plan, planned_allocation, planned_pause, planned_price
from gateway.fleet.planned_node import generation_of, planned_node
from gateway.fleet.platform import Allocation
from gateway.fleet.problem import Problem


def plan(change: Change, fleet: Fleet) -> Written | Problem:
    """What would change, at the generation that there is; or why it may not."""
    planned, generation = _planned(change, fleet)
    if isinstance(planned, Problem):
        return planned
    return Written(changes=planned, generation=generation)


def _planned(change: Change, fleet: Fleet) -> tuple[Plan, int | None]:
    records = fleet.listings.platform
    if isinstance(change, SetPrice):
        return planned_price(change, records.prices.get(change.gpu_type, ()), fleet.now), None
    if isinstance(change, SetPause):
        return planned_pause(change, records.controllers), None
    if isinstance(change, SetAllocation):
        given = _allocation(change, fleet)
        return planned_allocation(change, given), given.generation if given else 0
    record = records.nodes.get((change.cluster, change.node))
    return planned_node(change, record), generation_of(record)


def _allocation(change: SetAllocation, fleet: Fleet) -> Allocation | None:
    workspace = fleet.listings.platform.workspaces.get((change.tenant, change.workspace))
    given = workspace.allocations if workspace else ()
    return next((one for one in given if one.gpu_type == change.gpu_type), None)
