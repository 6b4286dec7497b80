"""What a Slurm source tells of a Slurm, whether that is a real one or a simulated one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Protocol

from gateway.errors import System
from gateway.fleet.clock import utc_now
from gateway.fleet.gpu import GpuClaim
from gateway.fleet.slurm import SlurmGres, SlurmJob, SlurmNode
from gateway.fleet.source import Contact, SourceKey
from gateway.fleet.unit import GpuUnit
from gateway.fleet.workload import WorkloadState
from gateway.sources.slurm.access import SlurmAccess
from gateway.sources.slurm.source import Polling, SlurmSource
from gateway.sources.sync import Rhythm
from tests.fakes.feed import RecordingFeed
from tests.servers.slurm_conf import NODES as PAPER_NODES

SLURM = "lab"
NODES, JOBS = SourceKey(System.SLURM, SLURM, "nodes"), SourceKey(System.SLURM, SLURM, "jobs")
CONTACT = Contact(fresh_for=timedelta(seconds=30), stale_after=timedelta(minutes=5))
QUICK = Rhythm(
    every=timedelta(milliseconds=100),
    first_pause=timedelta(milliseconds=100),
    longest_pause=timedelta(milliseconds=500),
)
POLLING = Polling(contact=CONTACT, rhythm=QUICK)


class SlurmWorld(Protocol):
    """A Slurm with the nodes of tests/servers/slurm_conf.py, and what can be done to it."""

    @property
    def access(self) -> SlurmAccess:
        """What the gateway needs to ask its slurmrestd."""

    async def submit(self, gres: str, partition: str, nodes: int) -> int:
        """Have a job run on these GPUs of each of so many nodes, and say its number."""

    async def cancel(self, job: int) -> None:
        """End a job."""

    async def drain(self, node: str, reason: str) -> None:
        """Let no more work onto a node."""

    async def undrain(self, node: str) -> None:
        """Let work onto it again."""

    async def stop_controller(self) -> None:
        """Have slurmrestd ask a slurmctld that is not there."""

    async def pause_controller(self) -> None:
        """Have it ask one that takes the question and does not answer."""

    async def bring_controller_back(self) -> None:
        """Undo either."""


class Told:
    """What the source has told so far."""

    def __init__(self) -> None:
        self.feed = RecordingFeed()

    async def node(self, name: str, *states: str) -> SlurmNode:
        """The node, once it is in these states."""
        await self.feed.until(lambda: set(states) <= {*getattr(self._row(NODES, name), "states", ())})
        node = self._row(NODES, name)
        assert isinstance(node, SlurmNode)
        return node

    async def job(self, number: int, state: WorkloadState) -> SlurmJob:
        """The job, once it is so far."""
        await self.feed.until(lambda: getattr(self._row(JOBS, str(number)), "state", None) is state)
        job = self._row(JOBS, str(number))
        assert isinstance(job, SlurmJob)
        return job

    async def until_heard(self) -> None:
        """Return once both listings are answered."""
        await self.feed.until(lambda: all(map(self._is_heard, (NODES, JOBS))))

    async def until_failed(self) -> None:
        """Return once neither is."""
        await self.feed.until(lambda: all(self.feed.contacts[key].error for key in (NODES, JOBS)))

    def _row(self, key: SourceKey, name: str) -> object:
        return self.feed.rows.get(key, {}).get(name)

    def _is_heard(self, key: SourceKey) -> bool:
        contact = self.feed.contacts[key]
        return contact.last_success_at is not None and contact.error is None


@asynccontextmanager
async def told_by(access: SlurmAccess) -> AsyncIterator[Told]:
    """What a source tells that has this access, while it runs."""
    told = Told()
    running = asyncio.create_task(SlurmSource(access, told.feed, utc_now, POLLING).run())
    try:
        yield told
    finally:
        running.cancel()
        await asyncio.wait({running})


class SlurmSourceContract:
    """Inherited with a fixture `world`."""

    async def test_nodes_come_with_their_partitions_and_gpus(self, world: SlurmWorld):
        async with told_by(world.access) as told:
            node = await told.node("gpu-h100-02", "IDLE")
            await told.until_heard()
        assert node == SlurmNode(
            slurm_cluster=SLURM,
            name="gpu-h100-02",
            states=("IDLE",),
            reason=None,
            reason_by=None,
            partitions=("train", "all"),
            gres=(SlurmGres(name="gpu", type="h100", unit=GpuUnit.CARD, configured=4, used=0),),
        )
        assert {*told.feed.rows[NODES]} == {node.name for node in PAPER_NODES}
        assert told.feed.contacts[NODES].skipped == ()

    async def test_a_node_that_never_reported_is_unknown_and_one_without_gpus_has_none(
        self, world: SlurmWorld
    ):
        async with told_by(world.access) as told:
            assert (await told.node("cpu-02", "UNKNOWN")).gres == ()
            assert (await told.node("cpu-01", "IDLE")).gres == ()

    async def test_a_job_holds_its_nodes_and_its_cards_there_until_it_ends(self, world: SlurmWorld):
        number = await world.submit("gpu:h100:3", "train", 2)
        async with told_by(world.access) as told:
            job = await told.job(number, WorkloadState.RUNNING)
            await told.node("gpu-h100-01", "MIXED")
            node = await told.node("gpu-h100-02", "MIXED")
            await world.cancel(number)
            ended = await told.job(number, WorkloadState.CANCELLED)
            free = await told.node("gpu-h100-02", "IDLE")
        assert job.holds_nodes
        assert job.node_names == ("gpu-h100-01", "gpu-h100-02")
        assert job.node_gpus == (("gpu-h100-01", 3), ("gpu-h100-02", 3))
        assert job.gpus == (GpuClaim(resource="gres/gpu:h100", unit=GpuUnit.CARD, count=6),)
        assert job.user == world.access.user
        assert job.started_at
        assert node.gres[0].used == 3
        assert not ended.holds_nodes
        assert ended.node_gpus == ()
        assert ended.id == job.id
        assert free.gres[0].used == 0

    async def test_a_drained_node_says_who_drained_it_and_why(self, world: SlurmWorld):
        await world.drain("gpu-t4-01", "fan 3 is loud")
        async with told_by(world.access) as told:
            node = await told.node("gpu-t4-01", "DRAIN")
            await world.undrain("gpu-t4-01")
            await told.feed.until(lambda: "DRAIN" not in told.feed.rows[NODES]["gpu-t4-01"].states)
        assert node.states == ("DRAIN", "IDLE")
        assert node.reason == "fan 3 is loud"
        assert node.reason_by == world.access.user

    async def test_a_stopped_controller_empties_nothing_and_is_heard_again(self, world: SlurmWorld):
        async with told_by(world.access) as told:
            await told.until_heard()
            nodes = told.feed.rows[NODES]
            await world.stop_controller()
            await told.until_failed()
            assert told.feed.rows[NODES].keys() == nodes.keys()
            assert told.feed.contacts[NODES].retryable
            await world.bring_controller_back()
            await told.until_heard()
            await told.node("gpu-h100-01", "IDLE")

    async def test_a_controller_that_hangs_is_given_up_within_the_deadline(self, world: SlurmWorld):
        hasty = replace(world.access, deadline=timedelta(milliseconds=300))
        async with told_by(hasty) as told:
            await told.until_heard()
            await world.pause_controller()
            await told.until_failed()
            assert len(told.feed.rows[NODES]) == len(PAPER_NODES)
            await world.bring_controller_back()
            await told.until_heard()

    async def test_a_wrong_token_lists_nothing_and_the_message_names_it(self, world: SlurmWorld):
        async with told_by(replace(world.access, token="not.a.token")) as told:  # noqa: S106  it opens nothing
            await told.until_failed()
        assert told.feed.rows == {}
        assert "token" in (told.feed.contacts[NODES].error or "")

    async def test_no_token_is_refused(self, world: SlurmWorld):
        async with told_by(replace(world.access, token=None)) as told:
            await told.until_failed()
        assert not told.feed.contacts[NODES].retryable
        assert "Authentication failure" in (told.feed.contacts[JOBS].error or "")
