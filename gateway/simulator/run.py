"""Serves a world on loopback, in the event loop that is running, and takes everything down again."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from gateway.background import alongside
from gateway.simulator.documents import Problem
from gateway.simulator.listener import Listener
from gateway.simulator.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """Where the servers of a world answer, and what else a gateway must be told."""

    clusters: Mapping[str, str]
    """The URL of each cluster's API."""
    slurms: Mapping[str, tuple[str, str]]
    """The URL of each slurmrestd, and the cluster that its nodes belong to."""
    platform_file: Path | None
    now: datetime | None
    """Where the clock stands; None: it runs."""
    problems: tuple[Problem, ...]
    cluster_listeners: Mapping[str, Listener]
    """Each cluster's server, to stop it and start it again."""
    slurm_listeners: Mapping[str, Listener]
    """Each Slurm's server."""


@contextlib.asynccontextmanager
async def simulate(world: World) -> AsyncIterator[Simulated]:
    """The world's servers, for as long as the context is open."""
    async with contextlib.AsyncExitStack() as stack:
        clusters = {
            name: await stack.enter_async_context(Listener(api)) for name, api in world.clusters.items()
        }
        slurms = {
            name: await stack.enter_async_context(Listener(slurm.api)) for name, slurm in world.slurms.items()
        }
        await stack.enter_async_context(_living(world))
        yield Simulated(
            clusters={name: listener.url for name, listener in clusters.items()},
            slurms={name: (at.url, world.slurms[name].cluster) for name, at in slurms.items()},
            platform_file=world.platform_file,
            now=world.now,
            problems=world.problems,
            cluster_listeners=clusters,
            slurm_listeners=slurms,
        )


@contextlib.asynccontextmanager
async def _living(world: World) -> AsyncIterator[None]:
    if world.life is None:
        yield
        return
    async with alongside(world.life()):
        yield
