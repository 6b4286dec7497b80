"""Tries once whether the replicas' common cache answers."""

import secrets
from collections.abc import AsyncGenerator
from datetime import timedelta

from gateway.sources.slurm.shared.access import CacheAccess
from gateway.sources.slurm.shared.cache import Cache, CacheAway
from gateway.sources.slurm.shared.wire import Turn
from gateway.sources.trial import Outcome, Trial, fine

_KEEP = timedelta(seconds=10)


async def probe(access: CacheAccess) -> AsyncGenerator[Trial, None]:
    """Put something there, and take it away."""
    cache, key = Cache(access), f"check:{secrets.token_hex(8)}"
    turn = Turn(poll=key, is_answered=False)
    try:
        await cache.take(key, turn, _KEEP)
        await cache.give_back(key, turn)
    except CacheAway as away:
        said = f"it does not answer as it should ({away.__cause__}): each replica asks Slurm itself"
        fix = "check the address, the password, and the rights that docs/operations.md names"
        yield Trial(what="reach", outcome=Outcome.WARNING, said=said, fix=fix)
    else:
        yield fine("reach", "it can be written and read")
    finally:
        await cache.close()
