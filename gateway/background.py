"""Work that goes on beside other work."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def alongside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do this for as long as the context is open; where it fails, the context ends with its failure."""
    body = asyncio.current_task()
    beside = asyncio.create_task(work)
    beside.add_done_callback(lambda done: body.cancel() if body and not done.cancelled() else None)
    try:
        yield
    except asyncio.CancelledError:
        if body and beside.done():
            body.uncancel()
            beside.result()
        raise
    finally:
        beside.cancel()
        await asyncio.wait([beside])
