"""What the demo and a fleet from a directory are given to log in with."""

import asyncpg
import pytest

from gateway.cli.stage import staged
from gateway.fleet.clock import utc_now
from gateway.simulator.scenario.demo import demo_fleet


@pytest.mark.usefixtures("postgres")
async def test_each_writer_of_the_demo_is_the_role_that_it_is_in_production():
    async with staged(demo_fleet(utc_now), database=True) as stage:
        logins = stage.settings.postgres
        dsns = (logins.dsn, logins.recorder_dsn, logins.reconciler_dsn, logins.health_dsn)
        roles = [await _role(dsn) for dsn in dsns]
    assert roles == ["gateway_api", "gateway_recorder", "gateway_reconciler", "gateway_health"]


async def _role(dsn):
    connection = await asyncpg.connect(dsn, timeout=5, command_timeout=10)
    try:
        return await connection.fetchval("SELECT session_user")
    finally:
        await connection.close(timeout=5)
