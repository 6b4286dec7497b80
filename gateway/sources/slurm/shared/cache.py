"""The replicas' common cache: typed values, short limits, a rest after each failure. It is never needed."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import TypeVar

import msgspec
from aiocache import RedisCache
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from gateway.sources.slurm.shared.access import CacheAccess
from gateway.sources.slurm.shared.meters import Meters
from gateway.sources.slurm.shared.wire import NAMESPACE, Kept, Turn, Typed

T = TypeVar("T")
V = TypeVar("V", Turn, Kept)
_SECONDS = 0.5
"""For one question: a stalled cache holds up a poll for so long."""
_REST = timedelta(seconds=10)
_LOST = (RedisError, OSError, ValueError, TypeError)
"""The last two come out of redis-py 8.1 where what answers does not speak the protocol."""
_log = logging.getLogger(__name__)


class CacheAway(Exception):
    """The cache is no help: it does not answer, did not a moment ago, or has lost what it should hold."""


class Cache:
    """A connection to it, made when it is first needed."""

    def __init__(
        self, access: CacheAccess, rest: timedelta = _REST, tick: Callable[[], float] = time.monotonic
    ) -> None:
        self.meters = Meters()
        self._cache = _connected(access)
        self._where = f"{access.host}:{access.port}"
        self._rest = rest.total_seconds()
        self._tick = tick
        self._away_until: float | None = None

    async def read(self, key: str, kind: type[V]) -> V | None:
        """What stands there; None where that is nothing, or nothing that this release understands."""

        async def found() -> V | None:
            try:
                value = await self._cache.get(key)
            except msgspec.MsgspecError:
                return None
            except ResponseError as error:
                if str(error).startswith("WRONGTYPE"):
                    return None
                raise
            return value if isinstance(value, kind) else None

        return await self._try(found)

    async def write(self, key: str, value: Kept, keep: timedelta) -> None:
        """Have it stand there for so long."""
        await self._try(lambda: self._cache.set(key, value, ttl=keep.total_seconds()))

    async def take(self, key: str, turn: Turn, keep: timedelta) -> bool:
        """Whether the turn could be put there, since there was none."""

        async def added() -> bool:
            with suppress(ValueError):
                return bool(await self._cache.add(key, turn, ttl=keep.total_seconds()))
            return False

        return await self._try(added)

    async def hand_on(self, key: str, mine: Turn, following: Turn, keep: timedelta) -> None:
        """Put another turn in the place of mine, if mine still stands there."""
        token, seconds = self._cache.serializer.dumps(mine), keep.total_seconds()
        await self._try(lambda: self._cache.set(key, following, ttl=seconds, _cas_token=token))

    async def give_back(self, key: str, mine: Turn) -> None:
        """Take my turn away, if it still stands there."""
        place, token = self._cache.build_key(key, NAMESPACE), self._cache.serializer.dumps(mine)
        await self._try(lambda: self._cache.raw("eval", RedisCache.RELEASE_SCRIPT, 1, place, token))

    async def remove(self, key: str) -> None:
        """Take away whatever stands there."""
        await self._try(lambda: self._cache.delete(key))

    async def close(self) -> None:
        """Close the connection."""
        with suppress(*_LOST):
            async with asyncio.timeout(_SECONDS):
                await self._cache.client.aclose()

    async def _try(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask it, unless it failed a moment ago; CacheAway where there is no answer."""
        if self._away_until is not None and self._tick() < self._away_until:
            raise CacheAway
        try:
            async with asyncio.timeout(_SECONDS):
                answer = await ask()
        except _LOST as error:
            self._lost(error)
            raise CacheAway from error
        self._found()
        return answer

    def _lost(self, error: Exception) -> None:
        if self._away_until is None:
            said = str(error) or type(error).__name__
            _log.warning("the cache at %s is away (%s): Slurm is asked by each replica", self._where, said)
        self._away_until = self._tick() + self._rest
        self.meters.failures.inc()
        self.meters.is_up.set(0)

    def _found(self) -> None:
        if self._away_until is not None:
            _log.info("the cache at %s is back", self._where)
        self._away_until = None
        self.meters.is_up.set(1)


def _connected(access: CacheAccess) -> RedisCache:
    return RedisCache(
        endpoint=access.host,
        port=access.port,
        db=access.database,
        ssl=access.is_encrypted,
        namespace=NAMESPACE,
        serializer=Typed(),
        # Both libraries would use asyncio.wait_for, which in Python 3.11 can swallow a cancellation.
        timeout=None,
        create_connection_timeout=_SECONDS,
        connection_pool_kwargs={
            "socket_timeout": None,
            "socket_keepalive": True,
            "health_check_interval": 15,
            "credential_provider": access.credentials,
            # A connection that the server closed while it was idle fails once, and the next one works.
            "retry": Retry(NoBackoff(), 1),
        },
    )
