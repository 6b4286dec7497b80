"""Alerts kept in a real Postgres: over restarts, over its silence, and between replicas."""

from datetime import timedelta

import pytest

from gateway.controllers.alert_book import HOLDS
from gateway.controllers.alert_keeper import AlertKeeper
from gateway.errors import SourceMisread, SourceUnavailable
from gateway.fleet.alert import REMEMBERED, News
from gateway.sources.postgres.alerts import PostgresAlerts
from gateway.sources.postgres.migrate import migrate
from tests.builders import NOON, a_node, a_record, some_records
from tests.fleets import (
    FRESH,
    NODES,
    POD_GROUPS,
    PODS,
    QUEUES,
    RECORDS,
    SLURM_JOBS,
    SLURM_NODES,
    VERSION,
    Hands,
    a_keeper,
)
from tests.sources.postgres.as_writer import RECORDER, dsn_of

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
EVERY = (VERSION, NODES, PODS, QUEUES, POD_GROUPS, SLURM_NODES, SLURM_JOBS, RECORDS)
NOTHING = News(at=NOON, changed=(), seen=(), gone=(), holds=HOLDS)


class Replica:
    """A gateway with its own memory; in its fleet is a record of a machine that is gone."""

    def __init__(self, dsn):
        self.dsn = dsn
        self._clock = Hands()
        self._fleet = a_keeper(records=some_records([a_record(claims=4)]), clock=self._clock)
        self._alerts = AlertKeeper(self._fleet, PostgresAlerts(lambda: self.dsn))

    async def look(self, at, *, gone=True):
        """Hear of all systems, look, and tell the database; then what it shows of the alert."""
        self._clock.now = at
        contact = FRESH.succeeded(at)
        for key in EVERY:
            self._fleet.touch(key, contact)
        self._fleet.replace(NODES, {} if gone else {"gpu-01": a_node()}, contact)
        await self._alerts.look()
        await self._alerts.exchange()
        return self.orphan

    @property
    def orphan(self):
        rows = self._fleet.pin().alerts.rows.values()
        return next((one for one in rows if one.finding.kind.value == "ORPHANED_RECORD"), None)


@pytest.fixture
def replica(migrated):
    return Replica(dsn_of(RECORDER, migrated))


async def test_an_alert_keeps_its_first_time_over_a_restart(replica):
    before = await replica.look(NOON)

    after = await Replica(replica.dsn).look(NOON + 60 * MINUTE)

    assert (after.first_seen, after.last_seen) == (NOON, NOON + 60 * MINUTE)
    assert after.finding == before.finding
    assert after.finding.message.startswith("gpu-01 is on record for vision with 4 cards")


async def test_what_went_away_meanwhile_is_over_after_the_usual_time(replica):
    await replica.look(NOON)
    restarted = Replica(replica.dsn)

    assert (await restarted.look(NOON + 60 * MINUTE, gone=False)).is_open
    assert (await restarted.look(NOON + 64 * MINUTE, gone=False)).is_open
    assert not (await restarted.look(NOON + 69 * MINUTE, gone=False)).is_open
    assert not (await Replica(replica.dsn).look(NOON + 70 * MINUTE, gone=False)).is_open


async def test_a_cause_that_flaps_over_a_restart_is_one_alert(replica):
    await replica.look(NOON)
    await replica.look(NOON + 2 * MINUTE, gone=False)

    assert (await Replica(replica.dsn).look(NOON + 4 * MINUTE)).first_seen == NOON


async def test_two_replicas_tell_the_first_time_that_either_saw(replica):
    other = Replica(replica.dsn)
    await replica.look(NOON)

    assert (await other.look(NOON + MINUTE)).first_seen == NOON
    assert (await replica.look(NOON + 2 * MINUTE)).last_seen == NOON + 2 * MINUTE
    assert (await other.look(NOON + 3 * MINUTE)).first_seen == NOON


async def test_an_alert_that_another_replica_still_sees_is_not_over(replica):
    other = Replica(replica.dsn)
    for minute in range(10):
        await replica.look(NOON + minute * MINUTE)
        seen = await other.look(NOON + minute * MINUTE + SECOND, gone=False)

    assert (seen.first_seen, seen.resolved_at) == (NOON, None)


async def test_what_comes_back_after_it_was_over_begins_anew(replica):
    await replica.look(NOON)
    await replica.look(NOON + MINUTE, gone=False)
    over = await replica.look(NOON + MINUTE + HOLDS, gone=False)
    await replica.look(NOON + 20 * MINUTE)

    again = await Replica(replica.dsn).look(NOON + 21 * MINUTE)

    assert over.resolved_at == NOON + MINUTE + HOLDS
    assert (again.first_seen, again.resolved_at) == (NOON + 20 * MINUTE, None)


async def test_what_a_silent_database_was_not_told_it_is_told_when_it_answers(replica, migrated):
    replica.dsn = "postgresql://nobody@127.0.0.1:1/nothing"
    assert (await replica.look(NOON)).is_open

    replica.dsn = dsn_of(RECORDER, migrated)
    await replica.look(NOON + MINUTE)

    assert (await Replica(replica.dsn).look(NOON + 2 * MINUTE)).first_seen == NOON


async def test_what_is_over_for_long_is_deleted(replica, session):
    await replica.look(NOON)
    await replica.look(NOON + MINUTE, gone=False)
    await replica.look(NOON + MINUTE + HOLDS, gone=False)
    open_ones = "SELECT count(*) FROM alert WHERE resolved_at IS NOT NULL"
    assert await session.fetchval(open_ones) == 1

    await Replica(replica.dsn).look(NOON + 2 * HOLDS + REMEMBERED, gone=False)

    assert await session.fetchval(open_ones) == 0


async def test_what_another_release_found_is_left_alone(replica, session):
    await session.execute(
        """INSERT INTO alert VALUES ('theirs', '{"kind": "FROM_TOMORROW"}', $1, $1)""", NOON
    )

    assert (await replica.look(NOON)).is_open
    assert await session.fetchval("SELECT resolved_at FROM alert WHERE id = 'theirs'") is None


async def test_a_database_without_tables_names_the_fix(postgres_dsn):
    with pytest.raises(SourceMisread, match="gpu-gateway migrate"):
        await PostgresAlerts(lambda: postgres_dsn).exchange(NOTHING)

    await migrate(postgres_dsn)
    assert await PostgresAlerts(lambda: postgres_dsn).exchange(NOTHING) == []


async def test_a_database_that_is_not_there_is_a_source_error():
    with pytest.raises(SourceUnavailable, match=r"127\.0\.0\.1:1"):
        await PostgresAlerts(lambda: "postgresql://nobody@127.0.0.1:1/nothing").exchange(NOTHING)
