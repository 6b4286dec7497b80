"""Keeps what a Slurm says of its nodes and jobs fresh, by asking slurmrestd again and again."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TypeVar

import msgspec

from gateway.errors import System
from gateway.fleet.clock import Clock
from gateway.fleet.ports import Feed
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.source import Contact, SourceKey
from gateway.sources.slurm.access import SlurmAccess
from gateway.sources.slurm.api import SlurmApi
from gateway.sources.slurm.jobs import read_job
from gateway.sources.slurm.nodes import read_node
from gateway.sources.slurm.polled import Ask
from gateway.sources.slurm.questions import Questions
from gateway.sources.slurm.shared.asking import SharedAsk
from gateway.sources.slurm.shared.cache import Cache
from gateway.sources.slurm.shared.exchange import Exchange, Question, Spans, lease_for
from gateway.sources.slurm.versions import Slurmrestd
from gateway.sources.sync import Item, Listing, Rhythm, poll

R = TypeVar("R")
Read = Callable[[msgspec.Raw, int, str, int], Item[R]]
RHYTHM = Rhythm(every=timedelta(seconds=10))
"""SchedMD asks sites to spare slurmctld, so callers are answered from what was polled."""
_AT_ONCE = timedelta(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Polling:
    """How often Slurm is asked, and how long what it said holds."""

    contact: Contact
    rhythm: Rhythm = RHYTHM


class SlurmSource:
    """One Slurm: its nodes and its jobs, each of which can fail alone."""

    def __init__(
        self, access: SlurmAccess, feed: Feed, clock: Clock, polling: Polling, cache: Cache | None = None
    ) -> None:
        self._access = access
        self._clock = clock
        self._pace = polling
        self._cache = cache
        self._nodes: Listing[SlurmNode] = Listing(self._key("nodes"), feed, clock, polling.contact)
        self._jobs: Listing[SlurmJob] = Listing(self._key("jobs"), feed, clock, polling.contact)

    async def run(self) -> None:
        """Ask again and again until cancelled."""
        async with SlurmApi(self._access) as api, asyncio.TaskGroup() as tasks:
            ask = Questions(self._access.name, self._clock)
            tasks.create_task(self._keep(self._nodes, partial(ask.nodes, Slurmrestd(api)), read_node))
            tasks.create_task(self._keep(self._jobs, partial(ask.jobs, Slurmrestd(api)), read_job))

    async def _keep(self, listing: Listing[R], ask: Ask, read: Read[R]) -> None:
        ask = self._shared(listing.key.kind, ask)
        name, rhythm = self._access.name, self._pace.rhythm

        async def refresh() -> timedelta:
            polled = await ask()
            # Another replica's answer may be old, and its clock may be ahead.
            good_for = min(rhythm.every, max(_AT_ONCE, polled.at + rhythm.every - self._clock()))
            items = [read(text, polled.version, name, place) for place, text in enumerate(polled.found)]
            listing.listed(items, polled.at)
            return good_for

        await poll(refresh, listing.failed, rhythm)

    def _shared(self, kind: str, ask: Ask) -> Ask:
        """The same question, put once between all replicas where they have a cache."""
        if self._cache is None:
            return ask
        spans = Spans(
            rest=self._pace.rhythm.every,
            lease=lease_for(self._access),
            keep=self._pace.contact.stale_after,
        )
        return SharedAsk(ask, Exchange(Question(self._access, kind), self._cache, spans))

    def _key(self, kind: str) -> SourceKey:
        return SourceKey(System.SLURM, self._access.name, kind)
