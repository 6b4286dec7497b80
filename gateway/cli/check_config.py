"""gpu-gateway check-config: tries every source once, and says what it may and may not read, and the fix."""

import argparse
import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import NamedTuple

from gateway.access import cache_access, cluster_access, slurm_access
from gateway.cli.command import Commands, declare, finish
from gateway.cli.terminal import answer, tell
from gateway.errors import Invalid
from gateway.fleet.clock import utc_now
from gateway.fleet.history import Writer
from gateway.settings import (
    CacheSettings,
    ClusterSettings,
    ControllerSettings,
    PostgresSettings,
    Settings,
    SlurmSettings,
    read_settings,
)
from gateway.sources.kubernetes import probe as kubernetes
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.rights import probe_rights
from gateway.sources.postgres import probe as postgres
from gateway.sources.slurm import probe as slurm
from gateway.sources.slurm.shared import probe as cache
from gateway.sources.trial import Outcome, Trial
from gateway.sources.volcano import probe as volcano

_SECONDS = 10.0
"""For all that is tried of one source; all sources are tried at once."""
_MORE = """exit status: 0 all is well; 1 something that is needed does not work; 2 the settings are wrong.
What is absent is not there and not missed; after a warning something stays unknown, and the rest is right."""
_STATUS = {Outcome.WRONG: 2, Outcome.FAILED: 1}


class Source(NamedTuple):
    """Something that the settings name, and how it is tried."""

    name: str
    trials: Callable[[], AsyncGenerator[Trial, None]]


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(commands, "check-config", _run, "try every source once and tell what to mend", _MORE)
    told = "try what `gpu-gateway controllers` needs, in place of what `gpu-gateway serve` does"
    command.add_argument("--controllers", action="store_true", help=told)


def _run(arguments: argparse.Namespace) -> int:
    settings = read_settings(arguments.environ)
    found = finish(_tried(tuple(_sources(settings, of_controllers=arguments.controllers))))
    outcomes = {trial.outcome for trials in found for trial in trials}
    tell(_summary(outcomes))
    return max(_STATUS.get(outcome, 0) for outcome in outcomes)


def _sources(settings: Settings, *, of_controllers: bool) -> Iterator[Source]:
    for cluster in settings.clusters:
        acts = settings.controllers if of_controllers else None
        yield Source(f"kubernetes/{cluster.name}", partial(_cluster, cluster, acts))
    for island in settings.slurms:
        yield Source(f"slurm/{island.name}", partial(_slurm, island))
    for dsn, writers in _logins(settings.postgres, of_controllers=of_controllers).items():
        others = "+".join(writer.value.lower() for writer in writers)
        name = "platform" if Writer.API in writers else f"platform/{others}"
        yield Source(name, partial(postgres.probe, dsn, writers))
    if settings.cache.url is not None:
        yield Source("cache", partial(_cache, settings.cache))


def _logins(records: PostgresSettings, *, of_controllers: bool) -> Mapping[str, Sequence[Writer]]:
    """Who writes by which DSN; the controllers may be left to another process, which has DSNs for them."""
    every = records.read_dsn()
    logins: dict[str, list[Writer]] = {}
    for writer, dsn, is_meant in (
        (Writer.API, every, not of_controllers),
        (Writer.RECORDER, records.read_recorder_dsn(), not of_controllers),
        (Writer.RECONCILER, own := records.read_reconciler_dsn(), of_controllers or own != every),
        (Writer.HEALTH_MONITOR, own := records.read_health_dsn(), of_controllers or own != every),
    ):
        if dsn is not None and is_meant:
            logins.setdefault(dsn, []).append(writer)
    return logins


async def _cluster(cluster: ClusterSettings, acts: ControllerSettings | None) -> AsyncGenerator[Trial, None]:
    api, is_reached = Api(cluster_access(cluster)), False
    try:
        async for trial in kubernetes.probe(api, (*kubernetes.READINGS, *volcano.READINGS)):
            is_reached |= trial.outcome is Outcome.FINE
            yield trial
        if acts is not None and is_reached:
            async for trial in probe_rights(api, acts.lease_namespace, acts.operator_namespace):
                yield trial
    finally:
        await api.close()


async def _slurm(island: SlurmSettings) -> AsyncGenerator[Trial, None]:
    async for trial in slurm.probe(slurm_access(island), utc_now):
        yield trial


async def _cache(shared: CacheSettings) -> AsyncGenerator[Trial, None]:
    access = cache_access(shared)
    if access is not None:
        async for trial in cache.probe(access):
            yield trial


async def _tried(sources: Sequence[Source]) -> list[list[Trial]]:
    """Try all at once, and tell of each as soon as those before it are through."""
    trying = [asyncio.create_task(_try(source)) for source in sources]
    found = []
    for source, task in zip(sources, trying, strict=True):
        found.append(await task)
        for trial in found[-1]:
            answer(_line(source.name, trial))
    return found


async def _try(source: Source) -> list[Trial]:
    told: list[Trial] = []
    try:
        async with asyncio.timeout(_SECONDS), aclosing(source.trials()) as trials:
            async for trial in trials:
                told.append(trial)  # noqa: PERF401 - what came in time is kept
    except TimeoutError:
        told.append(Trial(what="time", outcome=Outcome.FAILED, said=f"not through after {_SECONDS:.0f} s"))
    except Invalid as mistake:
        told.append(Trial(what="settings", outcome=Outcome.WRONG, said=str(mistake)))
    return told


def _summary(outcomes: Collection[Outcome]) -> str:
    if not _STATUS.keys().isdisjoint(outcomes):
        return "something that is needed does not work: see each fix"
    return "what is needed works: see each warning" if Outcome.WARNING in outcomes else "all is well"


def _line(source: str, trial: Trial) -> str:
    line = f"{trial.outcome.value:<8} {source}: {trial.what}: {trial.said}"
    return f"{line}\n{'':<8} fix: {trial.fix}" if trial.fix else line
