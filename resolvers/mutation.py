"""Where every change starts."""

from gateway.fleet.capacity import GpuAllocation
from gateway.fleet.change import NodeChange, SetAllocation
from gateway.fleet.fleet import Fleet
from gateway.fleet.platform import Workspace
from gateway.fleet.unknown import Maybe, Unknown
from gateway.fleet.usage import allocations
from resolvers.change import make
from resolvers.change_inputs import (
    AssignNodeInput,
    ReleaseNodeInput,
    SetAllocationInput,
    SetCordonInput,
    SetMigLayoutInput,
    SetPauseInput,
    SetPriceInput,
)
from resolvers.context import Context, Info
from resolvers.payload import AllocationPayload, NodePayload, PausePayload, PricePayload
from resolvers.query import find_node, find_workspace

NodeInput = SetCordonInput | SetMigLayoutInput | AssignNodeInput | ReleaseNodeInput


async def set_cordon(info: Info, input: SetCordonInput) -> NodePayload:
    """Keep new work off a machine, or let it come again; nothing is evicted."""
    return await _of_node(info.context, input)


async def set_mig_layout(info: Info, input: SetMigLayoutInput) -> NodePayload:
    """Have a machine drained and its cards cut anew; only what was acknowledged is evicted for it."""
    return await _of_node(info.context, input)


async def assign_node(info: Info, input: AssignNodeInput) -> NodePayload:
    """Give a machine that nobody holds to a tenant, for one target."""
    return await _of_node(info.context, input)


async def release_node(info: Info, input: ReleaseNodeInput) -> NodePayload:
    """Take a machine back from its tenant; its work stays where it is."""
    return await _of_node(info.context, input)


async def set_allocation(info: Info, input: SetAllocationInput) -> AllocationPayload:
    """Give a workspace this many cards of a type; never more than are healthy."""
    result = await make(info.context, input)
    return AllocationPayload(allocation=_allocation(input.change, info.context.fleet), result=result)


async def set_price(info: Info, input: SetPriceInput) -> PricePayload:
    """Say what a card-hour costs from a time on."""
    result = await make(info.context, input)
    return PricePayload(gpu_type=info.context.fleet.gpu_types.get(input.gpu_type), result=result)


async def set_pause(info: Info, input: SetPauseInput) -> PausePayload:
    """Stop or resume every effect of a controller, uncordon included."""
    result = await make(info.context, input)
    platform = info.context.fleet.platform
    found = platform if isinstance(platform, Unknown) else platform.controllers.get(input.controller)
    return PausePayload(controller=found, result=result)


async def _of_node(context: Context, asked: NodeInput) -> NodePayload:
    result = await make(context, asked)
    change: NodeChange = asked.change
    return NodePayload(node=find_node(context.fleet, change.cluster, change.node), result=result)


def _allocation(change: SetAllocation, fleet: Fleet) -> Maybe[GpuAllocation]:
    workspace = find_workspace(fleet, change.tenant, change.workspace)
    if not isinstance(workspace, Workspace):
        return workspace
    given = allocations(workspace, fleet)
    return next((one for one in given if one.gpu_type.name == change.gpu_type), None)
