"""The gateway as it runs in production; the demo and offline queries run the same."""

from gateway.app import Parts
from gateway.assembly import Assembly
from gateway.http.limits import Limits
from gateway.settings import LimitSettings, Settings
from schema.build import build


def parts(settings: Settings, assembly: Assembly) -> Parts:
    """What the application serves."""
    return Parts(
        schema=build(),
        pin=assembly.keeper.pin,
        running=assembly.running,
        limits=_limits(settings.limits),
        web=settings.web,
    )


def _limits(limits: LimitSettings) -> Limits:
    return Limits(
        max_body_bytes=limits.max_body_bytes,
        body_seconds=limits.body_timeout.total_seconds(),
        max_tokens=limits.max_tokens,
        max_depth=limits.max_depth,
        max_aliases=limits.max_aliases,
        max_directives=limits.max_directives,
        cached_documents=limits.cached_documents,
    )
