"""What the demo and a fleet from a directory are given to log in with."""

import asyncpg
import pytest

from gateway.cli.stage import staged
from gateway.fleet.clock import utc_now
from gateway.simulator.kinds import NODES
from gateway.simulator.scenario.demo import demo_fleet


@pytest.mark.usefixtures("postgres")
async def test_each_writer_of_the_demo_is_the_role_that_it_is_in_production():
    async with staged(demo_fleet(utc_now), database=True) as stage:
        logins = stage.settings.postgres
        dsns = (logins.dsn, logins.recorder_dsn, logins.reconciler_dsn, logins.health_dsn)
        roles = [await _role(dsn) for dsn in dsns]
    assert roles == ["gateway_api", "gateway_recorder", "gateway_reconciler", "gateway_health"]


@pytest.mark.usefixtures("postgres")
async def test_what_the_records_ask_of_a_machine_is_asked_of_the_very_one():
    world = demo_fleet(utc_now)
    nodes = world.clusters["fleet"].writer.store.serve(NODES)
    async with staged(world, database=True) as stage:
        connection = await asyncpg.connect(stage.dsn, timeout=5, command_timeout=10)
        try:
            rows = await connection.fetch(
                "SELECT name, desired_uid FROM gateway.node_record WHERE desired_layout IS NOT NULL"
            )
        finally:
            await connection.close(timeout=5)

    uid = nodes.named("/gpu-a100-05").body["metadata"]["uid"]
    assert [tuple(row) for row in rows] == [("gpu-a100-05", uid)]


async def _role(dsn):
    connection = await asyncpg.connect(dsn, timeout=5, command_timeout=10)
    try:
        return await connection.fetchval("SELECT session_user")
    finally:
        await connection.close(timeout=5)
