import asyncio
import os
import signal
from dataclasses import replace
from datetime import timedelta

import asyncpg
import pytest

from gateway.fleet.source import SourceState
from gateway.sources.postgres.migrate import migrate
from gateway.sources.postgres.records import RECORDS
from tests.contracts.platform_records import PlatformRecordsContract
from tests.sources.postgres.passwords import ask_for_a_password
from tests.sources.postgres.proxy import proxy_to
from tests.sources.postgres.running import QUICK, following, open_session, running_source

KILL_OURS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'gpu-gateway records'
"""


class TestOnTheServerOfTheWheel(PlatformRecordsContract):
    pass


def records(feed):
    return feed.rows[RECORDS]["records"]


def tenants(feed):
    return set(records(feed).tenants) if RECORDS in feed.rows else None


def failures(feed):
    return feed.contacts[RECORDS].consecutive_failures if RECORDS in feed.contacts else 0


async def test_an_empty_platform_is_a_platform_without_records(migrated):
    async with following(migrated) as feed:
        await feed.until(lambda: RECORDS in feed.rows)
        assert (records(feed).nodes, records(feed).tenants, records(feed).workspaces) == ({}, {}, {})


async def test_a_killed_backend_is_replaced_and_what_was_written_meanwhile_is_read(migrated, session):
    async with following(migrated) as feed:
        await feed.until(lambda: tenants(feed) == set())
        async with session.transaction():
            await session.execute("INSERT INTO tenant VALUES ('vision')")
            assert await session.fetch(KILL_OURS)
            await feed.until(lambda: failures(feed) > 0)
        await feed.until(lambda: tenants(feed) == {"vision"})


async def test_a_crash_of_the_server_is_waited_out_and_notifications_come_again_after_it(migrated):
    async with following(migrated) as feed:
        await feed.until(lambda: tenants(feed) == set())
        victim = await asyncpg.connect(migrated, timeout=5)
        # One backend that dies like this makes the server end all others and start again.
        os.kill(victim.get_server_pid(), signal.SIGKILL)
        victim.terminate()
        await feed.until(lambda: failures(feed) > 0)
        await feed.until(lambda: failures(feed) == 0)
        async with open_session(migrated) as session:
            await session.execute("INSERT INTO tenant VALUES ('vision')")
        await feed.until(lambda: tenants(feed) == {"vision"})


async def test_a_peer_that_goes_mute_is_noticed_and_its_lost_notifications_are_made_good(migrated, session):
    async with proxy_to(migrated) as proxy, following(proxy.dsn) as feed:
        await feed.until(lambda: tenants(feed) == set())
        proxy.stall()
        await session.execute("INSERT INTO tenant VALUES ('vision')")
        await feed.until(lambda: failures(feed) > 0)
        assert tenants(feed) == set()

        proxy.resume()
        await feed.until(lambda: tenants(feed) == {"vision"} and failures(feed) == 0)


async def test_the_records_are_read_again_now_and_then_though_nothing_is_told(migrated, session):
    await session.execute("ALTER TABLE tenant DISABLE TRIGGER tell_of_change")
    async with following(migrated, replace(QUICK, resync=QUICK.ping)) as feed:
        await feed.until(lambda: tenants(feed) == set())
        await session.execute("INSERT INTO tenant VALUES ('vision')")
        await feed.until(lambda: tenants(feed) == {"vision"})


async def test_records_that_are_equal_keep_their_identity(migrated, session):
    await session.execute("INSERT INTO tenant VALUES ('vision'), ('speech')")
    async with following(migrated) as feed:
        await feed.until(lambda: tenants(feed) == {"vision", "speech"})
        before = records(feed)
        await session.execute("UPDATE tenant SET display_name = 'Speech' WHERE id = 'speech'")
        await feed.until(lambda: records(feed) is not before)

        assert records(feed).tenants["speech"].display_name == "Speech"
        assert records(feed).tenants["vision"] is before.tenants["vision"]
        assert records(feed).gpu_types is before.gpu_types


async def test_a_connection_that_answers_is_fresh_and_tells_no_news(migrated, session):
    await session.execute("INSERT INTO tenant VALUES ('vision')")
    async with following(migrated, replace(QUICK, resync=QUICK.ping)) as feed:
        await feed.until(lambda: RECORDS in feed.rows)
        first = feed.contacts[RECORDS].last_success_at
        await feed.until(lambda: feed.contacts[RECORDS].last_success_at > first + 3 * QUICK.ping)

        assert feed.replaced == 1
        assert feed.contacts[RECORDS].state(feed.contacts[RECORDS].last_success_at) is SourceState.FRESH


async def test_a_row_that_cannot_be_used_is_named_and_the_rest_goes_on(migrated, session):
    await session.execute("INSERT INTO tenant VALUES ('vision')")
    await session.execute("INSERT INTO workspace VALUES ('vision', 'training', 'fleet')")
    await session.execute(
        "INSERT INTO gpu_allocation (tenant_id, workspace, gpu_type, cards)"
        " VALUES ('vision', 'training', 'X1', 2), ('vision', 'training', 'T4-16GB', 1)"
    )
    async with following(migrated) as feed:
        await feed.until(lambda: RECORDS in feed.rows)
        (skipped,) = feed.contacts[RECORDS].skipped
        assert (skipped.subject, skipped.path, skipped.raw) == (
            "gpu_allocation/vision/training/X1",
            "gpu_type",
            "X1",
        )
        assert [given.gpu_type for given in records(feed).workspaces["vision", "training"].allocations] == [
            "T4-16GB"
        ]

        await session.execute("INSERT INTO gpu_type VALUES ('X1')")
        await feed.until(lambda: feed.contacts[RECORDS].skipped == ())
        assert len(records(feed).workspaces["vision", "training"].allocations) == 2


async def test_missing_tables_say_what_to_run_and_are_found_once_they_are_there(postgres_dsn):
    async with following(postgres_dsn) as feed:
        await feed.until(lambda: failures(feed) > 0)
        contact = feed.contacts[RECORDS]
        assert "run `gpu-gateway migrate`" in contact.error
        assert RECORDS not in feed.rows

        await migrate(postgres_dsn)
        await feed.until(lambda: tenants(feed) == set())


async def test_a_wrong_password_is_refused_and_waiting_does_not_help(migrated, session):
    await session.execute("CREATE ROLE stranger LOGIN PASSWORD 'right'")
    await ask_for_a_password(session, "stranger")
    try:
        there = migrated.replace("postgres@", "stranger:wrong@")
        async with following(there) as feed:
            await feed.until(lambda: failures(feed) > 0)
    finally:
        await session.execute("DROP ROLE stranger")

    contact = feed.contacts[RECORDS]
    assert not contact.retryable
    assert "password authentication failed" in contact.error
    assert "wrong" not in contact.error


async def test_it_ends_when_it_is_cancelled_though_its_peer_is_mute(migrated):
    patient = replace(QUICK, ping_limit=timedelta(seconds=2))
    async with proxy_to(migrated) as proxy, following(proxy.dsn, patient) as feed:
        await feed.until(lambda: RECORDS in feed.rows)
        proxy.stall()
        await proxy.holds_something.wait()


@pytest.mark.parametrize("change", ["DROP TABLE gpu_price", "ALTER TABLE tenant DROP COLUMN display_name"])
async def test_tables_that_are_not_as_expected_are_a_misreading_and_not_an_empty_platform(
    migrated, session, change
):
    await session.execute("INSERT INTO tenant VALUES ('vision')")
    async with following(migrated) as feed:
        await feed.until(lambda: tenants(feed) == {"vision"})
        await session.execute(change)
        await session.execute("INSERT INTO tenant VALUES ('speech')")
        await feed.until(lambda: failures(feed) > 0)
        assert tenants(feed) == {"vision"}
        assert "gpu-gateway migrate" in feed.contacts[RECORDS].error


async def test_who_waits_for_what_was_just_written_goes_on_with_it_in_the_fleet(migrated, session):
    async with running_source(migrated) as (source, feed), asyncio.timeout(20):
        for name in ("vision", "speech", "robotics"):
            await session.execute("INSERT INTO tenant VALUES ($1)", name)
            await source.caught_up()
            assert name in tenants(feed)


async def test_a_reading_that_began_before_does_not_count_for_who_waits(migrated, session):
    await session.execute("ALTER TABLE tenant DISABLE TRIGGER tell_of_change")

    async def write_and_look(name):
        async with open_session(migrated) as writing:
            await writing.execute("INSERT INTO tenant VALUES ($1)", name)
        await source.caught_up()
        return name in tenants(feed)

    async with running_source(migrated) as (source, feed), asyncio.timeout(20):
        await feed.until(lambda: tenants(feed) == set())
        assert all(await asyncio.gather(*(write_and_look(f"team-{n}") for n in range(8))))
