"""Which login role each writer of the records is, as the migrations create them."""

from collections.abc import Mapping

from gateway.fleet.history import Writer

ROLES: Mapping[Writer, str] = {
    Writer.API: "gateway_api",
    Writer.RECONCILER: "gateway_reconciler",
    Writer.HEALTH_MONITOR: "gateway_health",
    Writer.RECORDER: "gateway_recorder",
}


def writer_of(role: str) -> Writer:
    """Who it was, by the role that was logged in."""
    return next((writer for writer, name in ROLES.items() if name == role), Writer.OTHER)
