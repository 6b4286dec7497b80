"""Whether a tenant's workspaces were given what is asked for, beside whether machines have it."""

from gateway.fleet.alert import Remedy, RemedyAction
from gateway.fleet.capacity import GpuAllocation
from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.fits.ask import Ask
from gateway.fleet.fleet import Fleet
from gateway.fleet.platform import PlatformRecords, Workspace
from gateway.fleet.usage import allocations


def more_allowance(ask: Ask, fleet: Fleet) -> Remedy | None:
    """Raise an allocation where none leaves as many whole cards; nothing where any is not known."""
    platform, kind = fleet.platform, ask.gpu_type
    if ask.tenant is None or ask.profile or kind is None or not isinstance(platform, PlatformRecords):
        return None
    own = [one for one in platform.workspaces.values() if one.tenant_name == ask.tenant]
    given = [
        (one, told) for one in own for told in allocations(one, fleet) if told.gpu_type.name == kind.name
    ]
    if not given:
        said = f"Give a workspace of {ask.tenant} cards of {kind.name}: none was given any"
        tenant = entity_id(EntityKind.TENANT, ask.tenant)
        return Remedy(action=RemedyAction.RAISE_ALLOCATION, text=said, subject=tenant)
    left = [(one, told, told.headroom) for one, told in given]
    known = [(one, told, room) for one, told, room in left if isinstance(room, int)]
    wanted = ask.count * ask.nodes
    if len(known) < len(left) or any(room >= wanted for _, _, room in known):
        return None
    workspace, allocation, room = max(known, key=lambda one: one[2])
    return _raise(workspace, allocation, room, wanted)


def _raise(workspace: Workspace, allocation: GpuAllocation, room: int, wanted: int) -> Remedy:
    said = (
        f"Give {workspace.name} of {workspace.tenant_name} {wanted - room} more {allocation.gpu_type.name}: "
        f"of its {allocation.cards} are {room} not used, and {wanted} are asked for"
    )
    return Remedy(action=RemedyAction.RAISE_ALLOCATION, text=said, subject=allocation.id)
