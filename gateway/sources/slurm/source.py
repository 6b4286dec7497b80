"""Keeps what a Slurm says of its nodes and jobs fresh, by asking slurmrestd again and again."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import TypeVar

from gateway.errors import SourceMisread, SourceRefused, System
from gateway.fleet.clock import Clock
from gateway.fleet.ports import Feed
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.source import Contact, SourceKey
from gateway.sources.slurm.access import SlurmAccess
from gateway.sources.slurm.api import SlurmApi
from gateway.sources.slurm.jobs import read_job
from gateway.sources.slurm.nodes import read_node
from gateway.sources.slurm.versions import Slurmrestd
from gateway.sources.sync import Item, Listing, Rhythm, poll

R = TypeVar("R")
RHYTHM = Rhythm(every=timedelta(seconds=10))
"""SchedMD asks sites to spare slurmctld, so callers are answered from what was polled."""
_AT_WORK = frozenset({"ALLOCATED", "MIXED"})


class SlurmSource:
    """One Slurm: its nodes and its jobs, each of which can fail alone."""

    def __init__(
        self, access: SlurmAccess, feed: Feed, clock: Clock, contact: Contact, rhythm: Rhythm = RHYTHM
    ) -> None:
        self._access = access
        self._rhythm = rhythm
        self._nodes: Listing[SlurmNode] = Listing(self._key("nodes"), feed, clock, contact)
        self._jobs: Listing[SlurmJob] = Listing(self._key("jobs"), feed, clock, contact)

    async def run(self) -> None:
        """Ask again and again until cancelled."""
        async with SlurmApi(self._access) as api, asyncio.TaskGroup() as tasks:
            tasks.create_task(self._keep(self._nodes, partial(self._read_nodes, Slurmrestd(api))))
            tasks.create_task(self._keep(self._jobs, partial(self._read_jobs, Slurmrestd(api))))

    async def _keep(self, listing: Listing[R], read: Callable[[], Awaitable[list[Item[R]]]]) -> None:
        async def refresh() -> None:
            listing.listed(await read())

        await poll(refresh, listing.failed, self._rhythm)

    async def _read_nodes(self, slurmrestd: Slurmrestd) -> list[Item[SlurmNode]]:
        version, found = await slurmrestd.list("nodes")
        if not found:
            raise SourceMisread(
                System.SLURM,
                f"Slurm {self._access.name} lists no nodes, and there is no Slurm without: "
                "PrivateData may hide them from the token's user",
            )
        return [read_node(text, version, self._access.name, place) for place, text in enumerate(found)]

    async def _read_jobs(self, slurmrestd: Slurmrestd) -> list[Item[SlurmJob]]:
        version, found = await slurmrestd.list("jobs")
        if not found and (busy := await self._node_at_work(slurmrestd)):
            # The job may have come between the two answers; later Slurm remembers it for MinJobAge.
            version, found = await slurmrestd.list("jobs")
            if not found:
                raise SourceRefused(
                    System.SLURM,
                    f"Slurm {self._access.name} lists no jobs, and node {busy} is at work: PrivateData hides "
                    "jobs from the token's user: give the token of an operator",
                )
        return [read_job(text, version, self._access.name, place) for place, text in enumerate(found)]

    async def _node_at_work(self, slurmrestd: Slurmrestd) -> str | None:
        """A node that cannot be without a job."""
        records = (item.record for item in await self._read_nodes(slurmrestd))
        return next((node.name for node in records if node and not _AT_WORK.isdisjoint(node.states)), None)

    def _key(self, kind: str) -> SourceKey:
        return SourceKey(System.SLURM, self._access.name, kind)
