"""What a GPU type costs."""

import strawberry

from gateway.fleet.cost import price_at
from gateway.fleet.gpu import GpuType, Money, Price
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.context import Info


def price_per_hour(gpu_type: strawberry.Parent[GpuType], info: Info) -> Maybe[Money]:
    """What a card costs an hour now."""
    fleet = info.context.fleet
    return price_at(fleet.prices(gpu_type.name), fleet.now)


def prices(gpu_type: strawberry.Parent[GpuType], info: Info) -> list[Price] | Unknown:
    """Every price it had and will have, oldest first."""
    found = info.context.fleet.prices(gpu_type.name)
    return found if isinstance(found, Unknown) else list(found)
