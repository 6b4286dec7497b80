import asyncio

import pytest

from gateway.errors import SourceMisread, SourceUnavailable
from gateway.sources.postgres.connection import read_dsn
from gateway.sources.postgres.turns import Turns


async def test_whoever_comes_while_others_are_connected_waits_and_is_served(postgres_dsn):
    turns, held, most = Turns(at_once=3), 0, 0

    async def ask(number):
        nonlocal held, most
        async with turns.connected(read_dsn(postgres_dsn), "turns") as connection:
            held += 1
            most = max(most, held)
            answer = await connection.fetchval("SELECT $1::int", number)
            held -= 1
            return answer

    assert await asyncio.gather(*map(ask, range(20))) == list(range(20))
    assert most == 3


async def test_nobody_stands_in_line_for_ever_and_a_turn_that_ended_is_free_again(postgres_dsn):
    turns, database = Turns(at_once=1, patience_seconds=0.05), read_dsn(postgres_dsn)

    async with turns.connected(database, "turns"):
        with pytest.raises(SourceUnavailable, match=r"1 at a time .* within 0.05 s: ask again later"):
            async with turns.connected(database, "turns"):
                pass
    with pytest.raises(SourceMisread, match="division by zero"):
        async with turns.connected(database, "turns") as connection:
            await connection.execute("SELECT 1 / 0")
    async with turns.connected(database, "turns") as connection:
        assert await connection.fetchval("SELECT true")
