"""Wait until each source has answered or failed once."""

import asyncio
from collections.abc import Awaitable, Callable

from gateway.cli.terminal import tell
from gateway.http.health import untried
from gateway.http.moment import Moment

_PAUSE_SECONDS = 0.02
_MOST_TURNS = 1_000
_TELL_AT_TURN = 100


async def heard_from_all(
    pin: Callable[[], Moment], sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> None:
    """Return when no source is left that was never tried, at the latest after 20 s."""
    for turn in range(_MOST_TURNS):
        await sleep(_PAUSE_SECONDS)
        waiting = [source.name for source in pin().sources if untried(source)]
        if not waiting:
            return
        if turn == _TELL_AT_TURN:
            tell(f"waiting for {', '.join(waiting)} ...")
    tell("going on without them")
