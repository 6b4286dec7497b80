import asyncio
import os
import signal
import sys
from pathlib import Path

import asyncpg
import pytest

from gateway.simulator.embedded_postgres import embedded_postgres

HOLDER = """
import asyncio
from gateway.simulator.embedded_postgres import embedded_postgres

async def hold():
    async with embedded_postgres() as dsn:
        print(dsn, flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""


async def data_directory(dsn):
    connection = await asyncpg.connect(dsn, timeout=5)
    try:
        return Path(await connection.fetchval("SHOW data_directory"))
    finally:
        await connection.close()


async def until_refused(dsn):
    while True:
        try:
            connection = await asyncpg.connect(dsn, timeout=5)
        except (OSError, asyncpg.PostgresError):
            return
        connection.terminate()
        await asyncio.sleep(0.05)


async def until_gone(folder):
    while True:
        if not folder.exists():
            return
        await asyncio.sleep(0.05)


async def test_the_database_is_there_and_is_gone_without_a_trace():
    async with embedded_postgres() as dsn:
        directory = await data_directory(dsn)
        held = await asyncpg.connect(dsn)
        assert await held.fetchval("SHOW server_encoding") == "UTF8"

    assert not directory.parent.exists()
    with pytest.raises(OSError, match=r"refused|failed"):
        await asyncpg.connect(dsn, timeout=5)
    held.terminate()


async def test_two_stand_side_by_side():
    async with embedded_postgres() as one, embedded_postgres() as other:
        assert await data_directory(one) != await data_directory(other)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
async def test_it_ends_with_the_process_that_asked_for_it(how):
    holder = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOLDER), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    async with asyncio.timeout(60):
        dsn = (await holder.stdout.readline()).decode().strip()
        directory = await data_directory(dsn)
        os.kill(holder.pid, how)
        await holder.wait()
        await until_refused(dsn)
        await until_gone(directory.parent)
