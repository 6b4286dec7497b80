"""Who creates the login roles: they are the whole server's, so this has a server of its own."""

import asyncio
from contextlib import AsyncExitStack

import asyncpg
import pytest

from gateway.errors import SourceRefused
from gateway.simulator.embedded_postgres import as_role
from gateway.sources.postgres.migrate import migrate, shipped_migrations
from gateway.sources.postgres.roles import ROLES
from tests.servers.postgres import running_postgres
from tests.sources.postgres.running import open_session

ALL = [step.name for step in shipped_migrations()]


@pytest.fixture
async def server(postgres):
    """A server on which no role of ours is yet."""
    del postgres  # where there is none, the test is skipped
    async with running_postgres() as fresh:
        yield fresh


async def test_databases_of_one_server_that_are_migrated_at_once_share_the_roles(server):
    async with AsyncExitStack() as stack:
        dsns = [await stack.enter_async_context(server.database()) for _ in range(6)]
        assert await asyncio.gather(*map(migrate, dsns)) == [ALL] * 6
        for dsn in dsns:
            for role in ROLES.values():
                async with open_session(as_role(dsn, role)) as session:
                    assert await session.fetchval("SELECT count(*) FROM migration") == len(ALL)


async def test_who_may_not_create_roles_is_told_what_to_run_and_then_owns_the_tables(server):
    async with server.database() as dsn:
        async with open_session(dsn) as administrator:
            await administrator.execute("CREATE ROLE gateway_migrate LOGIN; CREATE ROLE gateway_health LOGIN")
            await administrator.execute(
                f"GRANT CREATE ON DATABASE {dsn.rpartition('/')[2]} TO gateway_migrate"
            )
            with pytest.raises(SourceRefused) as told:
                await migrate(as_role(dsn, "gateway_migrate"))
            statements = str(told.value).split("`")[1]
            assert statements == (
                "CREATE ROLE gateway_api LOGIN; CREATE ROLE gateway_reconciler LOGIN;"
                " CREATE ROLE gateway_recorder LOGIN"
            )
            assert "gateway_migrate may not create login roles: run `" in str(told.value)
            await administrator.execute(statements)

        assert await migrate(as_role(dsn, "gateway_migrate")) == ALL[ALL.index("0004_login_roles") :]
        async with open_session(as_role(dsn, "gateway_api")) as api:
            await api.execute("INSERT INTO tenant (id) VALUES ('vision')")
            await api.execute("INSERT INTO node_record (cluster, name, target) VALUES ('a', 'b', 'SLURM')")
            assert await api.fetchval("SELECT writer FROM field_change") == "gateway_api"
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await api.execute("UPDATE node_record SET observed_message = 'x'")
