import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gateway.sources.slurm.shared.access import CacheAccess
from gateway.sources.slurm.shared.cache import Cache, CacheAway
from gateway.sources.slurm.shared.wire import NAMESPACE, Kept, Turn
from tests.servers.proxy import proxy_to
from tests.servers.valkey import Valkey
from tests.sources.slurm.shared.replicas import sample

KEPT = Kept(at=datetime(2026, 11, 29, 12, tzinfo=UTC), version=42, packed=b"x")
MINE, THEIRS = Turn(poll="mine", is_answered=False), Turn(poll="theirs", is_answered=False)
ANSWERED = Turn(poll="mine", is_answered=True)
LONG = timedelta(minutes=1)
ALLOWED = ("+get", "+set", "+psetex", "+del", "+eval", "+ping", "+hello", "+select", "+client|setinfo")
"""What docs/operations.md says that the gateway's user needs."""


class Tick:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


@asynccontextmanager
async def cache_at(
    url: str, tick: Tick | None = None, password_file: Path | None = None
) -> AsyncIterator[Cache]:
    cache = Cache(CacheAccess(url=url, password_file=password_file), tick=tick or Tick())
    try:
        yield cache
    finally:
        await cache.close()


async def test_a_value_comes_back_as_its_own_kind_and_as_no_other(valkey: Valkey):
    async with cache_at(valkey.url) as cache:
        await cache.write("x", KEPT, LONG)
        assert await cache.read("x", Kept) == KEPT
        assert await cache.read("x", Turn) is None
        assert await cache.read("nothing", Kept) is None


async def test_only_one_of_two_takes_a_turn(valkey: Valkey):
    async with cache_at(valkey.url) as first, cache_at(valkey.url) as second:
        assert await first.take("x", MINE, LONG)
        assert not await second.take("x", THEIRS, LONG)
        assert await second.read("x", Turn) == MINE


async def test_a_turn_is_handed_on_and_given_back_by_its_owner_alone(valkey: Valkey):
    async with cache_at(valkey.url) as cache:
        await cache.take("x", THEIRS, LONG)
        await cache.hand_on("x", MINE, ANSWERED, LONG)
        await cache.give_back("x", MINE)
        assert await cache.read("x", Turn) == THEIRS
        await cache.give_back("x", THEIRS)
        await cache.take("x", MINE, LONG)
        await cache.hand_on("x", MINE, ANSWERED, LONG)
        assert await cache.read("x", Turn) == ANSWERED


async def test_everything_stands_there_for_a_time_only(valkey: Valkey):
    async with cache_at(valkey.url) as cache, valkey.client() as client:
        await cache.write("kept", KEPT, timedelta(seconds=50))
        await cache.take("taken", MINE, timedelta(seconds=50))
        await cache.take("handed", MINE, LONG)
        await cache.hand_on("handed", MINE, ANSWERED, timedelta(seconds=50))
        for key in ("kept", "taken", "handed"):
            assert 40_000 < await client.pttl(f"{NAMESPACE}:{key}") <= 50_000


async def test_a_cache_that_failed_is_left_alone_for_a_while_and_told_of_once(
    valkey: Valkey, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.INFO)
    tick = Tick()
    async with proxy_to(valkey.url) as way, cache_at(way.url, tick) as cache:
        await way.cut()
        with pytest.raises(CacheAway):
            await cache.read("x", Kept)
        await way.restore()
        with pytest.raises(CacheAway):
            await cache.read("x", Kept)
        assert sample(cache.meters.failures) == 1
        assert sample(cache.meters.is_up) == 0
        tick.seconds += 11
        assert await cache.read("x", Kept) is None
        assert sample(cache.meters.is_up) == 1
    told = [record.getMessage() for record in caplog.records if "the cache at" in record.getMessage()]
    assert len(told) == 2
    assert "is away" in told[0]
    assert "is back" in told[1]


async def test_a_stalled_cache_is_given_up_and_costs_no_connection(valkey: Valkey):
    tick = Tick()
    async with proxy_to(valkey.url) as way, cache_at(way.url, tick) as cache:
        await cache.write("x", KEPT, LONG)
        way.mute()
        for _ in range(3):
            with pytest.raises(CacheAway) as away:
                await cache.read("x", Kept)
            assert isinstance(away.value.__cause__, TimeoutError)
            tick.seconds += 11
        await way.restore()
        assert await cache.read("x", Kept) == KEPT
        async with valkey.client() as client:
            assert len([one for one in await client.client_list() if one["cmd"] == "get"]) == 1


async def test_who_is_told_to_stop_while_it_asks_stops_at_whatever_moment(valkey: Valkey):
    async with cache_at(valkey.url) as cache:

        async def ask_for_ever() -> None:
            while True:
                await cache.take("x", MINE, LONG)

        for moment in range(400):
            asking = asyncio.create_task(ask_for_ever())
            await asyncio.sleep(moment * 5e-6)
            asking.cancel()
            await asyncio.wait([asking], timeout=5)
            assert asking.cancelled()


async def test_what_is_no_cache_is_one_that_is_away():
    async with cache_at("redis://127.0.0.1:1") as cache:
        with pytest.raises(CacheAway):
            await cache.read("x", Kept)


@pytest.mark.parametrize(
    "said", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff\r\n", b":abc\r\n", b"$-5\r\n", b":5\r\n" * 9]
)
async def test_what_does_not_speak_the_protocol_is_a_cache_that_is_away(said: bytes):
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            await reader.read(1)
            writer.write(said)
            await writer.drain()
            await reader.read()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with cache_at(f"redis://127.0.0.1:{port}") as cache:
            with pytest.raises(CacheAway):
                await cache.read("x", Kept)
            assert sample(cache.meters.is_up) == 0


async def test_a_password_that_is_renewed_in_its_file_opens_the_next_connection(
    valkey: Valkey, tmp_path: Path
):
    file, tick = tmp_path / "password", Tick()
    file.write_text("wrong\n")
    await allow_gateway(valkey)
    async with cache_at(valkey.url.replace("//", "//gateway@"), tick, file) as cache:
        with pytest.raises(CacheAway) as away:
            await cache.read("x", Kept)
        assert "invalid username-password pair" in str(away.value.__cause__)
        file.write_text("right\n")
        tick.seconds += 11
        assert await cache.read("x", Kept) is None


async def test_the_commands_that_operations_names_are_enough(valkey: Valkey, tmp_path: Path):
    file = tmp_path / "password"
    file.write_text("right\n")
    await allow_gateway(valkey)
    async with cache_at(f"{valkey.url.replace('//', '//gateway@')[:-1]}1", None, file) as cache:
        await cache.write("x", KEPT, LONG)
        await cache.remove("x")
        assert await cache.take("x", MINE, LONG)
        await cache.hand_on("x", MINE, ANSWERED, LONG)
        assert await cache.read("x", Turn) == ANSWERED
        await cache.give_back("x", ANSWERED)
        assert await cache.read("x", Turn) is None


async def allow_gateway(valkey: Valkey) -> None:
    """Make the user that docs/operations.md describes."""
    user = ("gateway", "reset", "on", ">right", "~gpu-gateway:slurm:*", *ALLOWED)
    async with valkey.client() as client:
        await client.execute_command("ACL", "SETUSER", *user)
