"""A simulated fleet with everything that a gateway needs to read it: servers, records, settings, clock."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from gateway.cli.machines import on_machines
from gateway.cli.terminal import tell
from gateway.errors import Invalid
from gateway.fleet.clock import Clock, utc_now
from gateway.fleet.history import Writer
from gateway.settings import ClusterSettings, ControllerSettings, PostgresSettings, Settings, SlurmSettings
from gateway.simulator.embedded_postgres import as_role, embedded_postgres
from gateway.simulator.run import Simulated, simulate
from gateway.simulator.world import World
from gateway.sources.postgres.migrate import migrate
from gateway.sources.postgres.platform_file import read_platform_file
from gateway.sources.postgres.roles import ROLES
from gateway.sources.postgres.write import import_platform


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What the production gateway is pointed at."""

    settings: Settings
    clock: Clock
    dsn: str | None
    """The administrator's; None: no database was needed."""
    is_alive: bool
    """Whether what is asked of a machine can come about there; in a directory of dumps nothing does."""


@asynccontextmanager
async def staged(world: World, *, database: bool) -> AsyncIterator[Stage]:
    """Serve a world; without a platform.yaml it has a database only where one is asked for."""
    async with AsyncExitStack() as stack:
        simulated = await stack.enter_async_context(simulate(world))
        for problem in simulated.problems:
            tell(str(problem))
        dsn = None
        if database or simulated.platform_file:
            dsn = await stack.enter_async_context(embedded_postgres())
        settings = _settings(simulated, dsn)
        if dsn:
            await _load_records(dsn, simulated, settings)
        now = simulated.now
        clock = utc_now if now is None else lambda: now
        yield Stage(settings=settings, clock=clock, dsn=dsn, is_alive=world.life is not None)


async def _load_records(dsn: str, simulated: Simulated, settings: Settings) -> None:
    """Fill the database; a file that cannot be read leaves it without tables: silent, and not empty."""
    path = simulated.platform_file
    try:
        file = read_platform_file(path, list(simulated.clusters)) if path else None
    except Invalid as mistakes:
        tell(str(mistakes))
        return
    await migrate(dsn)
    if file is not None:
        asked = await on_machines(file, settings.clusters)
        await import_platform(as_role(dsn, ROLES[Writer.API]), asked)


_DEMO = ControllerSettings(drain_timeout=timedelta(minutes=5))
"""People who try it do not wait half an hour until a drain is given up."""


def _logins(dsn: str) -> PostgresSettings:
    """Each writer as the role that it is in production."""
    return PostgresSettings(
        dsn=as_role(dsn, ROLES[Writer.API]),
        recorder_dsn=as_role(dsn, ROLES[Writer.RECORDER]),
        reconciler_dsn=as_role(dsn, ROLES[Writer.RECONCILER]),
        health_dsn=as_role(dsn, ROLES[Writer.HEALTH_MONITOR]),
    )


def _settings(simulated: Simulated, dsn: str | None) -> Settings:
    return Settings(
        postgres=_logins(dsn) if dsn else PostgresSettings(),
        controllers=_DEMO,
        clusters=tuple(ClusterSettings(name=name, url=url) for name, url in simulated.clusters.items()),
        slurms=tuple(
            SlurmSettings(name=name, cluster=cluster, url=url)
            for name, (url, cluster) in simulated.slurms.items()
        ),
    )
