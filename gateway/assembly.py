"""Settings become the parts of a gateway that reads and serves."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

from prometheus_client.registry import Collector

from gateway.access import cache_access, cluster_access, slurm_access
from gateway.background import alongside
from gateway.controllers.alert_keeper import AlertKeeper
from gateway.controllers.recorder import Keeping, Recorder
from gateway.fleet.clock import Clock, utc_now
from gateway.fleet.keeper import FleetKeeper
from gateway.fleet.merge import RECORDS
from gateway.fleet.ports import PlatformWriter, ReasonArchive, Source
from gateway.fleet.source import Contact
from gateway.settings import CacheSettings, Settings, SlurmSettings
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.source import KubernetesSource
from gateway.sources.kubernetes.upkeep import Upkeep, timing
from gateway.sources.postgres.alerts import PostgresAlerts
from gateway.sources.postgres.connection import read_dsn
from gateway.sources.postgres.orders.writer import PostgresWriter
from gateway.sources.postgres.reasons import PostgresReasons
from gateway.sources.postgres.records import Pace, PlatformSource
from gateway.sources.slurm.shared.cache import Cache
from gateway.sources.slurm.source import Polling, SlurmSource
from gateway.sources.sync import Rhythm, in_time
from gateway.sources.volcano.source import VolcanoSource

Dsn: TypeAlias = Callable[[], str]
"""Where the database is by now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """The gateway's parts, ready to run."""

    keeper: FleetKeeper
    sources: tuple[Source, ...]
    alerts: AlertKeeper
    cache: Cache | None = None
    """What other replicas share Slurm's answers through, where there are any."""
    writer: PlatformWriter | None = None
    """Writes what callers ask for; None: there are no records."""
    archive: ReasonArchive | None = None
    """What was kept of why work waits; None: nothing is kept."""
    recorder: Recorder | None = None
    """Keeps it."""

    @property
    def meters(self) -> tuple[Collector, ...]:
        """What the parts count, for /metrics."""
        return self.cache.meters.all if self.cache else ()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep the fleet fresh and watch it meanwhile; what fails unforeseen ends all."""
        recorders = (self.recorder,) if self.recorder else ()
        async with alongside(self._run(*self.sources, self.alerts, *recorders)):
            yield

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        """Keep the fleet fresh meanwhile, and leave it to the caller when to look for alerts."""
        async with alongside(self._run(*self.sources)):
            yield

    async def _run(self, *parts: Source | AlertKeeper | Recorder) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for part in parts:
                    group.create_task(part.run())
        finally:
            if self.cache is not None:
                await self.cache.close()


def assemble(settings: Settings, clock: Clock = utc_now) -> Assembly:
    """Make the parts that these settings ask for; refuse what can never work."""
    homes = {slurm.name: slurm.cluster for slurm in settings.slurms}
    clusters = dict.fromkeys((*(cluster.name for cluster in settings.clusters), *homes.values()))
    keeper = FleetKeeper(clusters, homes, clock, settings.stale_after)
    cache = _cache(settings.cache)
    dsn, recorder = dsn_now(settings.postgres.read_dsn), dsn_now(settings.postgres.read_recorder_dsn)
    platform = _platform(dsn, settings, keeper, clock)
    sources = (
        *(_Cluster(Api(cluster_access(cluster)), settings, keeper, clock) for cluster in settings.clusters),
        *(_slurm(slurm, settings, keeper, clock, cache) for slurm in settings.slurms),
        *([platform] if platform else []),
    )
    alerts = AlertKeeper(keeper, PostgresAlerts(recorder) if recorder else None)
    writer = PostgresWriter(dsn, platform) if dsn and platform else None
    return Assembly(
        keeper=keeper,
        sources=sources,
        alerts=alerts,
        cache=cache,
        writer=writer,
        archive=PostgresReasons(dsn) if dsn else None,
        recorder=_recorder(recorder, settings, keeper) if recorder else None,
    )


def _recorder(dsn: Dsn, settings: Settings, keeper: FleetKeeper) -> Recorder:
    keeping = Keeping(kept_for=settings.reasons_kept, stale_after=settings.stale_after)
    return Recorder(keeper.pin, keeper, PostgresReasons(dsn), keeping)


@dataclass(frozen=True, slots=True)
class _Cluster:
    """A cluster's Kubernetes and its Volcano, over one connection."""

    api: Api
    settings: Settings
    keeper: FleetKeeper
    clock: Clock

    async def run(self) -> None:
        """Keep all its listings fresh until cancelled."""
        quick = timing(self.settings.stale_after, self.settings.kubernetes_relist)
        upkeep = Upkeep(api=self.api, feed=self.keeper, timing=quick, clock=self.clock)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(KubernetesSource(upkeep).run())
                group.create_task(VolcanoSource(upkeep).run())
        finally:
            await self.api.close()


def _cache(cache: CacheSettings) -> Cache | None:
    access = cache_access(cache)
    return None if access is None else Cache(access)


def _slurm(
    slurm: SlurmSettings, settings: Settings, keeper: FleetKeeper, clock: Clock, cache: Cache | None
) -> Source:
    contact = Contact(fresh_for=3 * settings.slurm_poll, stale_after=settings.stale_after)
    usual = Rhythm(every=settings.slurm_poll)
    rhythm = replace(usual, longest_pause=in_time(usual.longest_pause, settings.stale_after))
    polling = Polling(contact=contact, rhythm=rhythm)
    access = slurm_access(slurm)
    access = replace(access, deadline=in_time(access.deadline, settings.stale_after))
    return SlurmSource(access, keeper, clock, polling, cache)


def _platform(
    dsn: Dsn | None, settings: Settings, keeper: FleetKeeper, clock: Clock
) -> PlatformSource | None:
    """The records' source; without a database there are no records, and nothing is silent."""
    if dsn is None:
        nothing = Contact(fresh_for=settings.stale_after, stale_after=settings.stale_after, absent=True)
        keeper.touch(RECORDS, nothing)
        return None
    usual = Pace(resync=settings.platform_resync, stale_after=settings.stale_after)
    pace = replace(
        usual,
        ping=in_time(usual.ping, usual.stale_after),
        ping_limit=in_time(usual.ping_limit, usual.stale_after),
        longest_pause=in_time(usual.longest_pause, usual.stale_after),
    )
    return PlatformSource(dsn, keeper, clock, pace)


def dsn_now(read: Callable[[], str | None]) -> Dsn | None:
    """What to connect by, read anew each time; refused at once where it can never work."""
    dsn = read()
    if dsn is None:
        return None
    read_dsn(dsn)
    return lambda: read() or ""
