import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

import pytest

from gateway.errors import System
from gateway.fleet.clock import utc_now
from gateway.fleet.slurm import SlurmJob
from gateway.fleet.source import Contact, SourceKey
from gateway.simulator.faults import WireFault
from gateway.simulator.listener import Listener
from gateway.simulator.slurm_failures import SlurmFault
from gateway.simulator.slurmrestd import Fault, Recorded, Slurmrestd
from gateway.sources.slurm.access import SlurmAccess
from gateway.sources.slurm.source import Polling, SlurmSource
from gateway.sources.sync import Rhythm
from tests.fakes.feed import RecordingFeed
from tests.sources.slurm.recordings import VERSIONS, bodies

NODES, JOBS = SourceKey(System.SLURM, "lab", "nodes"), SourceKey(System.SLURM, "lab", "jobs")
CONTACT = Contact(fresh_for=timedelta(seconds=30), stale_after=timedelta(minutes=5))
QUICK = Rhythm(
    every=timedelta(milliseconds=10),
    first_pause=timedelta(milliseconds=10),
    longest_pause=timedelta(milliseconds=20),
)
POLLING = Polling(contact=CONTACT, rhythm=QUICK)
EMPTY = {
    ("v0.0.42", "jobs"): b'{"jobs": [], "errors": [], "warnings": [{"description": "Zero jobs to dump"}]}'
}
IDLE = (
    b'{"nodes": [{"name": "gpu-01", "state": ["IDLE"], "reason": "", "reason_set_by_user": "",'
    b' "partitions": [], "gres": "gpu:2", "gres_used": "gpu:0"}]}'
)


@dataclass
class Scene:
    """A source at work, and both of its ends."""

    simulated: Slurmrestd
    listener: Listener
    feed: RecordingFeed

    def failed(self, key: SourceKey) -> bool:
        contact = self.feed.contacts.get(key)
        return contact is not None and contact.consecutive_failures > 0

    def heard(self, key: SourceKey) -> bool:
        contact = self.feed.contacts.get(key)
        return (
            contact is not None and contact.last_success_at is not None and not contact.consecutive_failures
        )

    async def until_heard(self) -> None:
        await self.feed.until(lambda: self.heard(NODES) and self.heard(JOBS))

    async def until_failed(self) -> None:
        await self.feed.until(lambda: self.failed(NODES) and self.failed(JOBS))


@asynccontextmanager
async def scene(answers: Recorded, fault: Fault | None = None) -> AsyncIterator[Scene]:
    simulated, feed = Slurmrestd(answers), RecordingFeed()
    simulated.fault = fault
    async with Listener(simulated) as listener:
        access = SlurmAccess(
            name="lab", cluster="fleet", url=listener.url, deadline=timedelta(milliseconds=300)
        )
        running = asyncio.create_task(SlurmSource(access, feed, utc_now, POLLING).run())
        try:
            yield Scene(simulated, listener, feed)
        finally:
            running.cancel()
            await asyncio.wait({running})
    assert running.cancelled()


def jobs(feed: RecordingFeed) -> Iterator[SlurmJob]:
    return (row for row in feed.rows[JOBS].values() if isinstance(row, SlurmJob))


@pytest.mark.parametrize("version", VERSIONS)
async def test_nodes_and_jobs_are_kept_in_two_listings_by_name_and_by_number(version: int):
    async with scene(Recorded(bodies(version))) as at:
        await at.until_heard()
    assert len(at.feed.rows[NODES]) == 8
    assert at.feed.rows[NODES]["gpu-t4-01"].partitions == ("infer", "all")
    assert sum(job.holds_nodes for job in jobs(at.feed)) == 6
    assert at.feed.rows[JOBS]["3"].node_gpus == (("gpu-h100-01", 8),)
    assert at.feed.contacts[NODES].skipped == at.feed.contacts[JOBS].skipped == ()


@pytest.mark.parametrize("fault", [*SlurmFault, *WireFault])
@pytest.mark.parametrize("version", [38, 42])
async def test_no_fault_ever_makes_a_list_empty(version: int, fault: Fault):
    async with scene(Recorded(bodies(version))) as at:
        await at.until_heard()
        at.simulated.fault = fault
        await at.until_failed()
        assert len(at.feed.rows[NODES]) == 8
        assert len(at.feed.rows[JOBS]) == 18
        at.simulated.fault = None
        await at.until_heard()


@pytest.mark.parametrize("fault", [*SlurmFault, *WireFault])
async def test_a_slurm_that_is_silent_from_the_start_lists_nothing_at_all(fault: Fault):
    async with scene(Recorded(bodies(38)), fault) as at:
        await at.until_failed()
        assert at.feed.rows == {}
        assert at.feed.contacts[NODES].error
        at.simulated.fault = None
        await at.until_heard()


async def test_each_listing_fails_alone():
    async with scene(Recorded(bodies(42))) as at:
        await at.until_heard()
        at.simulated.faults["nodes"] = SlurmFault.CONTROLLER_STOPPED
        await at.feed.until(lambda: at.failed(NODES))
        heard = at.feed.contacts[JOBS].last_success_at
        await at.feed.until(lambda: at.feed.contacts[JOBS].last_success_at != heard)
        assert at.heard(JOBS)


async def test_an_operator_is_needed_where_credentials_are_turned_down():
    async with scene(Recorded(bodies(42)), SlurmFault.BAD_TOKEN) as at:
        await at.until_failed()
    assert not at.feed.contacts[NODES].retryable
    assert "renew the token" in (at.feed.contacts[NODES].error or "")


async def test_a_bad_token_and_a_dead_controller_are_both_named_where_22_05_tells_them_apart_by_nothing():
    async with scene(Recorded(bodies(38)), SlurmFault.BAD_TOKEN) as at:
        await at.until_failed()
    assert at.feed.contacts[NODES].retryable
    assert "for a slurmctld that is silent and for a token" in (at.feed.contacts[NODES].error or "")


async def test_a_listener_that_went_away_is_found_again():
    async with scene(Recorded(bodies(42))) as at:
        await at.until_heard()
        await at.listener.stop()
        await at.until_failed()
        await at.listener.start()
        await at.until_heard()


async def test_no_jobs_are_believed_while_no_node_is_at_work():
    async with scene(Recorded(bodies(42) | EMPTY | {("v0.0.42", "nodes"): IDLE})) as at:
        await at.until_heard()
    assert at.feed.rows[JOBS] == {}


async def test_no_jobs_are_not_believed_while_a_node_is_at_work():
    async with scene(Recorded(bodies(42) | EMPTY)) as at:
        await at.feed.until(lambda: at.heard(NODES) and at.failed(JOBS))
    assert JOBS not in at.feed.rows
    assert "node gpu-h100-01 is at work: PrivateData hides jobs" in (at.feed.contacts[JOBS].error or "")
    assert not at.feed.contacts[JOBS].retryable


class FirstJob(Recorded):
    """The first jobs come just after slurmrestd was asked for jobs."""

    def __init__(self) -> None:
        super().__init__(bodies(42))
        self.asked = 0

    def answer(self, version: str, what: str) -> bytes | None:
        self.asked += what == "jobs"
        first = self.asked == 1 and what == "jobs"
        return EMPTY[version, what] if first else super().answer(version, what)


async def test_jobs_that_come_while_an_empty_list_is_doubted_are_taken_in():
    async with scene(FirstJob()) as at:
        await at.until_heard()
    assert len(at.feed.rows[JOBS]) == 18


async def test_no_nodes_are_never_believed():
    async with scene(Recorded(bodies(42) | {("v0.0.42", "nodes"): b'{"nodes": []}'})) as at:
        await at.feed.until(lambda: at.failed(NODES) and at.heard(JOBS))
    assert NODES not in at.feed.rows


async def test_a_node_that_cannot_be_read_is_named_and_the_others_go_on():
    nodes = bodies(42)["v0.0.42", "nodes"].replace(b'"name":"gpu-t4-02"', b'"name":null')
    async with scene(Recorded(bodies(42) | {("v0.0.42", "nodes"): nodes})) as at:
        await at.until_heard()
    assert len(at.feed.rows[NODES]) == 7
    (skipped,) = at.feed.contacts[NODES].skipped
    assert skipped.subject == "nodes[6]"
    assert skipped.problem == "is no node of Slurm: is no text"
