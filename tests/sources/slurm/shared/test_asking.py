"""Replicas on one Slurm and one Valkey, whatever becomes of each."""

import asyncio
from datetime import timedelta

import pytest

from gateway.fleet.clock import utc_now
from gateway.simulator.faults import WireFault
from gateway.simulator.slurm_failures import SlurmFault
from gateway.sources.slurm.shared.exchange import Question
from gateway.sources.slurm.shared.wire import NAMESPACE, Turn, Typed
from tests.servers.proxy import proxy_to
from tests.servers.valkey import Valkey
from tests.sources.slurm.shared.replicas import JOBS, NODES, Scene, sample, scene


def place(at: Scene, what: str) -> str:
    """Where the nodes' turn or answer stands."""
    return f"{NAMESPACE}:{Question(at.access, 'nodes').key}:{what}"


async def test_replicas_ask_once_between_them_and_tell_the_same_with_the_same_time(valkey: Valkey):
    async with scene() as at:
        first, second = at.replica(valkey.url), at.replica(valkey.url)
        await first.hears(8)
        await second.hears()
        told = {*first.feed.observed, *second.feed.observed}
        assert len(told) <= at.asked.times["nodes"] <= len(told) + 1
        assert len({*first.feed.observed} & {*second.feed.observed}) >= 6
        assert first.feed.rows == second.feed.rows
        assert len(first.feed.rows[NODES]) == 8
        assert len(first.feed.rows[JOBS]) == 18
        assert first.came("shared") + second.came("shared") >= 6
        assert first.came("alone") == second.came("alone") == 0


async def test_a_replica_that_comes_later_tells_at_once_what_is_known_with_its_age(valkey: Valkey):
    async with scene() as at:
        first = at.replica(valkey.url)
        await first.hears()
        await first.stop()
        at.simulated.fault = SlurmFault.CONTROLLER_STOPPED
        second = at.replica(valkey.url)
        await second.hears()
        await second.fails()
        assert second.feed.rows == first.feed.rows
        assert second.contact.last_success_at == first.contact.last_success_at


async def test_a_list_that_is_believed_by_nobody_is_told_to_nobody(valkey: Valkey):
    async with scene() as at:
        at.simulated.fault = SlurmFault.EMPTY
        first, second = at.replica(valkey.url), at.replica(valkey.url)
        await first.fails()
        await second.fails()
        assert first.feed.rows == second.feed.rows == {}


async def test_replicas_keep_what_they_know_while_slurm_is_silent_and_go_on_after(valkey: Valkey):
    async with scene() as at:
        first, second = at.replica(valkey.url), at.replica(valkey.url)
        await first.hears()
        await second.hears()
        at.simulated.fault = WireFault.HUNG
        await first.fails()
        await second.fails()
        assert len(first.feed.rows[NODES]) == len(second.feed.rows[NODES]) == 8
        at.simulated.fault = None
        await first.hears()
        await second.hears()
        assert first.contact.error is second.contact.error is None


async def test_replicas_never_crowd_a_slurm_that_is_silent(valkey: Valkey):
    async with scene() as at:
        replicas = [at.replica(valkey.url) for _ in range(3)]
        for replica in replicas:
            await replica.hears()
        at.simulated.fault = WireFault.HUNG
        for replica in replicas:
            await replica.feed.until(lambda one=replica: one.contact.consecutive_failures >= 3)
        assert at.crowd.most == 1


async def test_another_takes_over_from_a_replica_that_was_killed_in_its_turn(valkey: Valkey):
    async with scene() as at, valkey.client() as client:
        killed = Typed().dumps(Turn(poll="killed", is_answered=False))
        await client.set(place(at, "turn"), killed, px=1_000)
        survivor = at.replica(valkey.url)
        await survivor.hears(2)
        assert survivor.came("alone") == 0


async def test_a_replica_that_is_stopped_in_its_turn_gives_it_back(valkey: Valkey):
    async with scene() as at, valkey.client() as client:
        at.simulated.fault = WireFault.HUNG
        replica = at.replica(valkey.url, deadline=timedelta(minutes=1))
        async with asyncio.timeout(10):
            while not await client.exists(place(at, "turn")):  # noqa: ASYNC110  the server sets no event
                await asyncio.sleep(0.01)
        await replica.stop()
        assert not await client.exists(place(at, "turn"))


async def test_a_replica_whose_token_is_turned_down_tells_what_the_other_was_told(valkey: Valkey):
    async with scene(user="ada", token="good") as at:  # noqa: S106  it opens a simulation
        refused = at.replica(valkey.url, token="bad")  # noqa: S106  it opens nothing
        await refused.fails()
        accepted = at.replica(valkey.url)
        await accepted.hears(3)
        await refused.hears(3)
        assert refused.feed.rows == accepted.feed.rows
        assert accepted.contact.error is None


async def test_replicas_that_ask_as_different_users_share_nothing(valkey: Valkey):
    async with scene() as at:
        first, second = at.replica(valkey.url, user="ada"), at.replica(valkey.url, user="bob")
        await first.hears(3)
        await second.hears(3)
        assert first.came("shared") == second.came("shared") == 0


async def test_without_the_cache_each_replica_asks_alone_and_says_so(valkey: Valkey):
    async with scene() as at:
        first, second = at.replica(valkey.url), at.replica(valkey.url)
        await second.gets("shared")
        valkey.process.kill()
        await first.gets("alone")
        await second.gets("alone")
        assert first.contact.error is second.contact.error is None
        assert sample(first.cache.meters.is_up) == 0
        assert sample(first.cache.meters.failures) > 0
        await valkey.restart()
        await first.gets("shared")
        await second.gets("shared")
        assert sample(first.cache.meters.is_up) == 1


async def test_a_cache_that_is_there_from_no_time_on_hinders_nobody(valkey: Valkey):
    async with scene() as at, proxy_to(valkey.url) as way:
        await way.cut()
        replica = at.replica(way.url)
        await replica.hears(3)
        assert replica.came("alone") >= 3


async def test_a_cache_that_stalls_holds_nobody_up_for_long(valkey: Valkey):
    async with scene() as at, proxy_to(valkey.url) as way:
        first, second = at.replica(way.url), at.replica(valkey.url)
        await first.gets("shared")
        way.mute()
        await first.gets("alone")
        await first.hears(2)
        await second.hears(2)
        assert first.contact.error is None
        await way.restore()
        await first.gets("shared")


async def test_a_connection_that_was_cut_is_made_again_and_nobody_asks_alone(valkey: Valkey):
    async with scene() as at, proxy_to(valkey.url) as way:
        replica = at.replica(way.url)
        await replica.hears()
        await way.cut()
        await way.restore()
        await replica.hears(3)
        assert replica.came("alone") == sample(replica.cache.meters.failures) == 0


@pytest.mark.parametrize("what", ["turn", "answer"])
@pytest.mark.parametrize("garbage", [b"", b"\xff", b"{}", b"\x83\xa4type\xa5other\xa1a\x01\xa1b\x02"])
async def test_garbage_in_the_cache_is_never_told_and_gives_way(valkey: Valkey, what: str, garbage: bytes):
    async with scene() as at, valkey.client() as client:
        await client.set(place(at, what), garbage)
        first, second = at.replica(valkey.url), at.replica(valkey.url)
        await first.hears()
        await second.hears()
        await second.gets("shared")
        await first.gets("shared")
        assert first.feed.rows == second.feed.rows
        assert len(first.feed.rows[NODES]) == 8


@pytest.mark.parametrize("what", ["turn", "answer"])
async def test_a_value_of_another_type_gives_way_too(valkey: Valkey, what: str):
    async with scene() as at, valkey.client() as client:
        await client.rpush(place(at, what), "x")
        first, second = at.replica(valkey.url), at.replica(valkey.url)
        await second.gets("shared")
        await first.gets("shared")


async def test_an_answer_that_the_cache_lost_is_asked_for_alone(valkey: Valkey):
    async with scene() as at, valkey.client() as client:
        first = at.replica(valkey.url)
        await first.hears()
        await first.stop()
        answered = Typed().dumps(Turn(poll="lost", is_answered=True))
        await client.set(place(at, "turn"), answered, px=60_000)
        await client.delete(place(at, "answer"))
        second = at.replica(valkey.url)
        await second.gets("alone")
        assert len(second.feed.rows[NODES]) == 8


@pytest.mark.parametrize("ahead", [timedelta(hours=1), timedelta(hours=-1)])
async def test_clocks_that_differ_change_no_rhythm_and_nothing_is_told_of_the_future(
    valkey: Valkey, ahead: timedelta
):
    async with scene() as at:
        first = at.replica(valkey.url)
        second = at.replica(valkey.url, clock=lambda: utc_now() + ahead)
        await first.hears(6)
        await second.hears()
        answers = max(len(first.feed.observed), len(second.feed.observed))
        assert at.asked.times["nodes"] <= answers + 2
        now = utc_now()
        assert all(observed <= now for observed in first.feed.observed if observed)
        assert all(observed <= now + ahead for observed in second.feed.observed if observed)


async def test_only_two_keys_a_list_stand_in_the_cache_for_a_time_and_nothing_else_is_touched(valkey: Valkey):
    async with scene() as at, valkey.client() as client:
        await client.set("of-another", "x")
        replica = at.replica(valkey.url)
        await replica.hears(3)
        await replica.stop()
        keys = {key.decode() async for key in client.scan_iter()}
        assert keys - {"of-another"} <= {
            f"{NAMESPACE}:{Question(at.access, kind).key}:{what}"
            for kind in ("nodes", "jobs")
            for what in ("turn", "answer")
        }
        assert place(at, "answer") in keys
        assert all([await client.pttl(key) > 0 for key in keys - {"of-another"}])
