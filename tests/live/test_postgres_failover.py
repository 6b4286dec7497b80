"""Another server takes over: the platform's records are read from it without a restart, and only from it."""

from contextlib import asynccontextmanager

import pytest

from gateway.fleet.clock import utc_now
from gateway.fleet.source import SourceState
from gateway.sources.postgres.migrate import migrate
from gateway.sources.postgres.records import RECORDS
from tests.command_line import run
from tests.servers.postgres import running_postgres
from tests.servers.postgres_pair import running_pair
from tests.servers.proxy import proxy_to
from tests.sources.postgres.running import following, open_session

OURS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gpu-gateway records'"
END_OURS = OURS.replace("count(*)", "pg_terminate_backend(pid)")
PLATFORM = "tenants:\n  - name: vision\n  - name: speech\n"


@pytest.fixture
async def pair(postgres):
    """A primary with the tables, and its standby."""
    del postgres  # where there is none, the test is skipped
    async with running_pair() as servers:
        await migrate(servers.primary.dsn)
        yield servers


def told(feed):
    """How contact stands, and which tenants are shown."""
    state = feed.contacts[RECORDS].state(utc_now()) if RECORDS in feed.contacts else SourceState.NEVER
    return state, set(feed.rows[RECORDS]["records"].tenants) if RECORDS in feed.rows else None


def fresh(feed, *tenants):
    return told(feed) == (SourceState.FRESH, set(tenants))


async def add(dsn, *tenants):
    async with open_session(dsn) as session:
        await session.executemany("INSERT INTO tenant VALUES ($1)", [(tenant,) for tenant in tenants])


@asynccontextmanager
async def two_databases():
    """The same address on two servers that share nothing: of new ones the first databases have one name."""
    async with (
        running_postgres() as one,
        running_postgres() as other,
        one.database() as old,
        other.database() as new,
    ):
        for dsn in (old, new):
            await migrate(dsn)
        yield old, new


async def test_an_address_that_another_server_takes_over_shows_that_servers_records_alone(postgres):
    del postgres  # where there is none, the test is skipped
    async with two_databases() as (old, new), proxy_to(old) as way, following(way.url) as feed:
        await add(old, "vision", "both")
        await add(new, "speech", "both")
        await feed.until(lambda: fresh(feed, "vision", "both"))

        await way.cut()
        await feed.until(lambda: told(feed) == (SourceState.STALE, {"vision", "both"}))
        way.lead_to(new)
        await way.restore()
        await feed.until(lambda: fresh(feed, "speech", "both"), within=60)  # a pause may last half a minute

        await add(old, "late")
        await add(new, "heard")
        await feed.until(lambda: fresh(feed, "speech", "both", "heard"))


async def test_a_standby_that_is_named_first_is_passed_over(pair):
    async with following(pair.dsn) as feed:
        await add(pair.primary.dsn, "vision")
        await feed.until(lambda: fresh(feed, "vision"))
        assert (await pair.standby.ask(OURS), await pair.primary.ask(OURS)) == (0, 1)


async def test_a_promoted_standby_is_followed_and_the_old_primary_is_not_asked_when_it_is_back(pair):
    async with following(pair.dsn) as feed:
        await add(pair.primary.dsn, "vision")
        await feed.until(lambda: fresh(feed, "vision"))
        await pair.in_step()

        pair.primary.process.kill()
        await feed.until(lambda: told(feed) == (SourceState.STALE, {"vision"}))
        assert await pair.standby.ask("SELECT pg_promote()")
        await feed.until(lambda: fresh(feed, "vision"))
        await add(pair.standby.dsn, "speech")
        await feed.until(lambda: fresh(feed, "vision", "speech"))

        await pair.primary.clone(pair.standby)
        await pair.primary.start()
        before = feed.contacts[RECORDS].last_success_at
        assert await pair.standby.ask(END_OURS)
        await feed.until(
            lambda: feed.contacts[RECORDS].last_success_at > before and fresh(feed, "vision", "speech")
        )
        await add(pair.standby.dsn, "heard")
        await feed.until(lambda: fresh(feed, "vision", "speech", "heard"))
        assert (await pair.standby.ask(OURS), await pair.primary.ask(OURS)) == (1, 0)


async def test_a_first_host_that_is_mute_does_not_keep_the_primary_from_being_found(pair):
    pair.standby.process.pause()
    try:
        async with following(pair.dsn) as feed:
            await feed.until(lambda: fresh(feed))
    finally:
        pair.standby.process.resume()


async def test_an_import_after_a_failover_goes_to_the_new_primary_and_the_second_time_it_is_nothing(
    pair, tmp_path
):
    file = tmp_path / "platform.yaml"
    file.write_text(PLATFORM)
    before = await run("import", file, GPU_GATEWAY_POSTGRES_DSN=pair.dsn)
    await pair.in_step()
    pair.primary.process.kill()
    assert await pair.standby.ask("SELECT pg_promote()")

    after = await run("import", file, GPU_GATEWAY_POSTGRES_DSN=pair.dsn)
    file.write_text(f"{PLATFORM}  - name: audio\n")
    more = await run("import", file, GPU_GATEWAY_POSTGRES_DSN=pair.dsn)
    again = await run("import", file, GPU_GATEWAY_POSTGRES_DSN=pair.dsn)

    assert [ended.err for ended in (before, after, more, again)] == [
        "2 added\n",
        "the records say this already\n",
        "1 added\n",
        "the records say this already\n",
    ]
    assert await pair.standby.ask("SELECT count(*) FROM gateway.tenant") == 3


async def test_a_restart_keeps_the_records_shown_and_notifications_come_again_after_it(pair):
    async with following(pair.primary.dsn) as feed:
        await add(pair.primary.dsn, "vision")
        await feed.until(lambda: fresh(feed, "vision"))

        await pair.primary.stop()
        await feed.until(lambda: told(feed) == (SourceState.STALE, {"vision"}))
        await pair.primary.start()
        await feed.until(lambda: fresh(feed, "vision"))
        await add(pair.primary.dsn, "heard")
        await feed.until(lambda: fresh(feed, "vision", "heard"))
