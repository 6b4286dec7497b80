"""A time that passes only while somebody sleeps, and what happens meanwhile."""

import asyncio
import heapq
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count

from tests.builders import NOON


class FakeTime:
    """A clock, a sleep, and things that are to happen."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now
        self._later: list[tuple[datetime, int, Callable[[], None]]] = []
        self._order = count()

    def __call__(self) -> datetime:
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Let this much time pass at once."""
        self.pass_by(timedelta(seconds=seconds))
        await asyncio.sleep(0)

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        """Have something happen so many seconds from now."""
        heapq.heappush(self._later, (self.now + timedelta(seconds=seconds), next(self._order), do))

    def pass_by(self, span: timedelta) -> None:
        """Go on, and do on the way what is due."""
        end = self.now + span
        while self._later and self._later[0][0] <= end:
            self.now, _, do = heapq.heappop(self._later)
            do()
        self.now = end
