"""The gateway as it runs in production; the demo and offline queries run the same."""

import socket
from collections.abc import Callable

from gateway.app import Parts, create_app
from gateway.assembly import Assembly, assemble
from gateway.cli.listening import answer_until_told
from gateway.fleet.clock import Clock, utc_now
from gateway.http.limits import Limits
from gateway.settings import LimitSettings, Settings
from schema.build import build


async def serve(
    settings: Settings, listening: socket.socket, ready: Callable[[], None], clock: Clock = utc_now
) -> None:
    """Answer on the socket until told to stop; a source that dies of a fault of ours ends it too."""
    assembly = assemble(settings, clock)
    async with assembly.running():
        await answer_until_told(create_app(parts(settings, assembly)), listening, ready)


def parts(settings: Settings, assembly: Assembly) -> Parts:
    """What the application serves."""
    return Parts(
        schema=build(),
        pin=assembly.keeper.pin,
        writer=assembly.writer,
        archive=assembly.archive,
        meters=assembly.meters,
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
