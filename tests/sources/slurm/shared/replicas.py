"""Replicas of one gateway in one process: a source each, on one simulated Slurm and one real Valkey."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta

from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.errors import System
from gateway.fleet.clock import Clock, utc_now
from gateway.fleet.source import Contact, SourceKey
from gateway.simulator.listener import Listener
from gateway.simulator.slurmrestd import Recorded, Slurmrestd
from gateway.sources.slurm.access import SlurmAccess
from gateway.sources.slurm.shared.access import CacheAccess
from gateway.sources.slurm.shared.cache import Cache
from gateway.sources.slurm.source import Polling, SlurmSource
from gateway.sources.sync import Rhythm
from tests.fakes.feed import RecordingFeed
from tests.sources.slurm.recordings import bodies

NODES, JOBS = SourceKey(System.SLURM, "lab", "nodes"), SourceKey(System.SLURM, "lab", "jobs")
POLLING = Polling(
    contact=Contact(fresh_for=timedelta(seconds=30), stale_after=timedelta(minutes=5)),
    rhythm=Rhythm(
        every=timedelta(milliseconds=200),
        first_pause=timedelta(milliseconds=50),
        longest_pause=timedelta(milliseconds=100),
    ),
)
CACHE_REST = timedelta(milliseconds=200)


class Asked(Recorded):
    """Answers, and how often each was asked for."""

    def __init__(self) -> None:
        super().__init__(bodies(42))
        self.times: Counter[str] = Counter()

    def answer(self, version: str, what: str) -> bytes | None:
        self.times[what] += 1
        return super().answer(version, what)


class Crowd:
    """How many questions for nodes an app has had at a time, at most."""

    def __init__(self, app: ASGIApp) -> None:
        self.most = 0
        self._now = 0
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        counts = scope["path"].endswith("/nodes")
        self._now += counts
        self.most = max(self.most, self._now)
        try:
            await self._app(scope, receive, send)
        finally:
            self._now -= counts


class Told(RecordingFeed):
    """A feed that remembers how old each list was, too."""

    def __init__(self) -> None:
        super().__init__()
        self.observed: list[datetime | None] = []
        """When Slurm listed its nodes, as the replica was told, time after time."""

    def replace(self, key: SourceKey, rows: Mapping[Hashable, object], contact: Contact) -> None:
        if key == NODES:
            self.observed.append(contact.last_success_at)
        super().replace(key, rows, contact)


class Replica:
    """One replica's own parts."""

    def __init__(self, access: SlurmAccess, cache_url: str, clock: Clock) -> None:
        self.feed = Told()
        self.cache = Cache(CacheAccess(url=cache_url), rest=CACHE_REST)
        self._source = SlurmSource(access, self.feed, clock, POLLING, self.cache)
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._running = asyncio.create_task(self._source.run())

    async def stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running
        await self.cache.close()

    @property
    def contact(self) -> Contact:
        """How contact with the nodes stands."""
        return self.feed.contacts[NODES]

    def came(self, how: str) -> float:
        """How many lists of nodes came in this way."""
        return sample(self.cache.meters.answers, slurm="lab", listing="nodes", came=how)

    async def hears(self, more: int = 1) -> None:
        """Return once so many lists of nodes have come from now on, and the last of jobs was heard."""
        before = len(self.feed.observed)
        await self.feed.until(lambda: len(self.feed.observed) >= before + more and JOBS in self.feed.rows)

    async def fails(self) -> None:
        """Return once an attempt has failed."""
        await self.feed.until(lambda: self.contact.consecutive_failures > 0)

    async def gets(self, how: str) -> None:
        """Return once a list of nodes has come in this way from now on."""
        before = self.came(how)
        await self.feed.until(lambda: self.came(how) > before)


class Scene:
    """A Slurm, and the replicas that read it."""

    def __init__(self, simulated: Slurmrestd, asked: Asked, stack: AsyncExitStack) -> None:
        self.simulated = simulated
        self.asked = asked
        self.crowd = Crowd(simulated)
        self._stack = stack

    async def serve(self, **credentials: str) -> None:
        """Have it answer."""
        listener = await self._stack.enter_async_context(Listener(self.crowd))
        self.access = SlurmAccess(
            name="lab", cluster="fleet", url=listener.url, deadline=timedelta(milliseconds=300), **credentials
        )

    def replica(self, cache_url: str, clock: Clock = utc_now, **access: object) -> Replica:
        """One more replica at work; the fields of its access may differ."""
        replica = Replica(replace(self.access, **access), cache_url, clock)  # type: ignore[arg-type]  # any of them
        self._stack.push_async_callback(replica.stop)
        replica.start()
        return replica


@asynccontextmanager
async def scene(**credentials: str) -> AsyncIterator[Scene]:
    """A Slurm without replicas yet."""
    asked = Asked()
    simulated = Slurmrestd(asked, **credentials)
    async with AsyncExitStack() as stack:
        one = Scene(simulated, asked, stack)
        await one.serve(**credentials)
        yield one


def sample(meter: object, **labels: str) -> float:
    """The value of one counter or gauge."""
    (family,) = meter.collect()  # type: ignore[attr-defined]  # any of prometheus_client's
    found = [each.value for each in family.samples if each.labels == labels and "created" not in each.name]
    return found[0] if found else 0.0
