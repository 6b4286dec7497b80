"""What a GPU type costs."""

import strawberry

from gateway.errors import System
from gateway.fleet.cost import price_at
from gateway.fleet.gpu import GpuType, Money, Price
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.context import Info


def price_per_hour(gpu_type: strawberry.Parent[GpuType], info: Info) -> Maybe[Money]:
    """What a card costs an hour now."""
    fleet = info.context.fleet
    return price_at(fleet.prices(gpu_type.name), fleet.now)


def prices(gpu_type: strawberry.Parent[GpuType], info: Info) -> Maybe[list[Price]]:
    """Every price it had and will have, oldest first; null where there are no platform records."""
    fleet = info.context.fleet
    if not fleet.has(System.PLATFORM, "", "records"):
        return None
    found = fleet.prices(gpu_type.name)
    return found if isinstance(found, Unknown) else list(found)
