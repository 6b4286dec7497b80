"""What the replicas tell each other of one question to a Slurm: whose turn it is, and the newest answer."""

import asyncio
import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from gateway.sources.slurm.access import SlurmAccess
from gateway.sources.slurm.polled import Polled
from gateway.sources.slurm.shared.cache import Cache
from gateway.sources.slurm.shared.wire import Kept, Turn, pack, unpack

_PATIENCE = 1.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """How long things stand in the cache, by its clock: those of the replicas may differ."""

    rest: timedelta
    """Of a turn that is answered: nobody asks meanwhile."""
    lease: timedelta
    """Of a turn that is not: a replica that is silent for so long has lost it."""
    keep: timedelta
    """Of an answer: an older one is not shown any more."""


def lease_for(access: SlurmAccess) -> timedelta:
    """Time for one request; a poll that takes more of them may be doubled, and harms nobody."""
    return access.deadline * _PATIENCE


class Question(NamedTuple):
    """What is asked of whom."""

    access: SlurmAccess
    kind: str

    @property
    def key(self) -> str:
        """The same for replicas that ask the same as the same user, and for no others."""
        asked = f"{self.access.url} {self.access.user or ''}"
        return f"{self.access.name}:{hashlib.sha256(asked.encode()).hexdigest()[:12]}:{self.kind}"


class Exchange:
    """One question's two places in the cache; each method raises CacheAway while that does not answer."""

    def __init__(self, question: Question, cache: Cache, spans: Spans) -> None:
        self.question = question
        self.cache = cache
        self.spans = spans
        self._turn_key, self._answer_key = f"{question.key}:turn", f"{question.key}:answer"

    async def take_turn(self, mine: Turn) -> bool:
        """Whether it is my turn now, since it was nobody's."""
        return await self.cache.take(self._turn_key, mine, self.spans.lease)

    async def turn(self) -> Turn | None:
        """Whose turn it is."""
        return await self.cache.read(self._turn_key, Turn)

    async def answer(self) -> Polled | None:
        """The newest answer that anybody had."""
        kept = await self.cache.read(self._answer_key, Kept)
        return None if kept is None else await asyncio.to_thread(unpack, kept)

    async def publish(self, mine: Turn, polled: Polled) -> None:
        """Tell the others what my turn brought, and let Slurm rest."""
        kept = await asyncio.to_thread(pack, polled)
        await self.cache.write(self._answer_key, kept, self.spans.keep)
        answered = Turn(poll=mine.poll, is_answered=True)
        await self.cache.hand_on(self._turn_key, mine, answered, self.spans.rest)

    async def give_back(self, mine: Turn) -> None:
        """Let another have the turn that brought nothing."""
        await self.cache.give_back(self._turn_key, mine)

    async def remove_turn(self) -> None:
        """Take away a turn that should have ended by itself."""
        await self.cache.remove(self._turn_key)
