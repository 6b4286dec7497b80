"""Wait until each source has answered or failed once."""

import asyncio
from collections.abc import Awaitable, Callable

from gateway.cli.terminal import tell
from gateway.fleet.source import SourceState, SourceStatus
from gateway.http.moment import Moment

_PATIENCE_SECONDS = 20.0
_TELL_AFTER_SECONDS = 2.0
_PAUSE_SECONDS = 0.02


async def heard_from_all(
    pin: Callable[[], Moment], sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> None:
    """Return when no source is left that was never tried, at the latest after 20 s."""
    told = False
    for turn in range(int(_PATIENCE_SECONDS / _PAUSE_SECONDS)):
        waiting = [source.name for source in pin().sources if _is_untried(source)]
        if not waiting:
            return
        if turn * _PAUSE_SECONDS > _TELL_AFTER_SECONDS and not told:
            tell(f"waiting for {', '.join(waiting)} ...")
            told = True
        await sleep(_PAUSE_SECONDS)


def _is_untried(source: SourceStatus) -> bool:
    return source.last_attempt_at is None and source.state is not SourceState.ABSENT
