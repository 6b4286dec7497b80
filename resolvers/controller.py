"""What the gateway's controllers do, and who stopped them."""

from gateway.errors import System
from gateway.fleet.desired import Controller
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.context import Info


def controllers(info: Info) -> Maybe[list[Controller]]:
    """The controllers that ever ran, by name; null without an error where there are no platform records."""
    fleet = info.context.fleet
    platform = fleet.platform
    if isinstance(platform, Unknown):
        return platform
    if not fleet.has(System.PLATFORM, "", "records"):
        return None
    return [platform.controllers[name] for name in sorted(platform.controllers)]
