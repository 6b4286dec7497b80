import asyncio

import pytest

from gateway.errors import Conflict, SourceRefused, SourceUnavailable
from gateway.sources.postgres.migrate import Migration, migrate, shipped_migrations
from tests.sources.postgres.running import open_session

ALL = [step.name for step in shipped_migrations()]
ONE = Migration("0001_one", "CREATE TABLE one (id integer)")
TWO = Migration("0002_two", "CREATE TABLE two (id integer)")


async def tables(dsn):
    async with open_session(dsn) as session:
        return {
            row["tablename"]
            for row in await session.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'gateway'")
        }


async def test_two_that_start_at_once_apply_each_step_once(postgres_dsn):
    applied = await asyncio.gather(*(migrate(postgres_dsn) for _ in range(4)))
    assert sorted(applied, key=len) == [[], [], [], ALL]


async def test_only_what_is_missing_is_applied(postgres_dsn):
    assert await migrate(postgres_dsn, [ONE]) == ["0001_one"]
    assert await migrate(postgres_dsn, [ONE, TWO]) == ["0002_two"]
    assert await tables(postgres_dsn) == {"migration", "one", "two"}


async def test_a_step_that_fails_leaves_nothing_of_itself_and_keeps_those_before(postgres_dsn):
    broken = Migration("0002_broken", "CREATE TABLE half (id integer); SELECT 1 / 0")
    with pytest.raises(Exception, match="division by zero"):
        await migrate(postgres_dsn, [ONE, broken])
    assert await tables(postgres_dsn) == {"migration", "one"}
    assert await migrate(postgres_dsn, [ONE, TWO]) == ["0002_two"]


async def test_an_applied_file_that_was_changed_is_refused_by_name(postgres_dsn):
    await migrate(postgres_dsn, [ONE])
    with pytest.raises(Conflict, match="0001_one is not the file that was applied: restore it"):
        await migrate(postgres_dsn, [ONE._replace(sql="CREATE TABLE one (id bigint)"), TWO])
    assert await tables(postgres_dsn) == {"migration", "one"}


async def test_a_database_that_is_newer_than_the_code_is_refused(postgres_dsn):
    await migrate(postgres_dsn, [ONE, TWO])
    with pytest.raises(Conflict, match=r"newer than this release: it has 0002_two; upgrade the gateway"):
        await migrate(postgres_dsn, [ONE])


async def test_a_step_that_slipped_in_before_an_applied_one_is_refused(postgres_dsn):
    await migrate(postgres_dsn, [TWO])
    with pytest.raises(Conflict, match="0002_two was applied before 0001_one"):
        await migrate(postgres_dsn, [ONE, TWO])


async def test_a_role_that_may_not_create_is_refused_with_the_servers_words(postgres_dsn):
    async with open_session(postgres_dsn) as session:
        await session.execute("CREATE ROLE migrate_guest LOGIN")
    try:
        with pytest.raises(SourceRefused, match="permission denied for database"):
            await migrate(postgres_dsn.replace("postgres@", "migrate_guest@"))
    finally:
        async with open_session(postgres_dsn) as session:
            await session.execute("DROP ROLE migrate_guest")


async def test_a_server_that_is_not_there_is_named():
    with pytest.raises(SourceUnavailable, match=r"Postgres 127\.0\.0\.1:1/fleet: "):
        await migrate("postgresql://nobody:secret@127.0.0.1:1/fleet")
