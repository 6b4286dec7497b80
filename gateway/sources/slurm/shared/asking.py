"""Ask a Slurm once a rhythm between all replicas: whose turn it is asks, and the others take its answer."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta

from gateway.sources.slurm.polled import Ask, Polled
from gateway.sources.slurm.shared.cache import CacheAway
from gateway.sources.slurm.shared.exchange import Exchange
from gateway.sources.slurm.shared.wire import Turn

_LOOKS_IN_A_REST = 50
_LONGEST_LOOK = timedelta(seconds=0.5)


class SharedAsk:
    """A question as one replica puts it. The cache is never needed: without it each replica asks alone."""

    def __init__(
        self, ask: Ask, exchange: Exchange, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._ask = ask
        self._exchange = exchange
        self._sleep = sleep
        self._last_at: datetime | None = None
        self._last_poll = ""

    async def __call__(self) -> Polled:
        """The next answer, whoever asked for it; at first the one that is there, however old."""
        try:
            return await self._next()
        except CacheAway:
            return self._came("alone", "", await self._ask())

    async def _next(self) -> Polled:
        if self._last_at is None and (known := await self._exchange.answer()):
            return self._came("shared", "", known)
        watched, looks = None, 0
        while True:
            mine = Turn(poll=secrets.token_hex(8), is_answered=False)
            if await self._exchange.take_turn(mine):
                return self._came("asked", mine.poll, await self._in_turn(mine))
            turn = await self._exchange.turn()
            if newer := await self._news(turn):
                return newer
            watched, looks = turn, looks + 1 if turn == watched else 1
            await self._wait(looks)

    async def _in_turn(self, mine: Turn) -> Polled:
        """Ask, and tell the others; the answer is good even where they cannot be told."""
        try:
            polled = await self._ask()
        except BaseException:
            with suppress(CacheAway):
                await self._exchange.give_back(mine)
            raise
        with suppress(CacheAway):
            await self._exchange.publish(mine, polled)
        return polled

    async def _news(self, turn: Turn | None) -> Polled | None:
        """What another's turn brought, if that is news; CacheAway where its answer cannot be had."""
        if turn is None or not turn.is_answered or turn.poll == self._last_poll:
            return None
        answer = await self._exchange.answer()
        if answer is None:
            raise CacheAway("an answer was lost")
        self._last_poll = turn.poll
        is_news = self._last_at is None or answer.at > self._last_at
        return self._came("shared", turn.poll, answer) if is_news else None

    async def _wait(self, looks: int) -> None:
        """Wait a little; what is still there when the longest turn would be over never ends by itself."""
        spans = self._exchange.spans
        look = min(spans.rest / _LOOKS_IN_A_REST, _LONGEST_LOOK)
        if look * looks > spans.rest + spans.lease:
            await self._exchange.remove_turn()
        await self._sleep(look.total_seconds())

    def _came(self, how: str, poll: str, polled: Polled) -> Polled:
        """Count an answer, and remember which one was last."""
        self._last_at, self._last_poll = polled.at, poll
        access, kind = self._exchange.question
        self._exchange.cache.meters.answers.labels(access.name, kind, how).inc()
        return polled
