"""What grows by itself with a change, what is told of it, and what is no change."""

from datetime import UTC, datetime

import pytest

from gateway.sources.postgres.records import CHANNEL
from tests.sources.postgres.as_writer import API, HEALTH, RECONCILER, execute, session_of, the_node


@pytest.fixture
async def dsn(migrated):
    """One node of a led cluster."""
    await execute(
        migrated,
        "INSERT INTO tenant (id) VALUES ('vision')",
        "INSERT INTO node_record (cluster, name) VALUES ('fleet', 'gpu-01')",
        "INSERT INTO controller (name, holder) VALUES ('node-reconciler/fleet', 'pod-a')",
    )
    return migrated


async def generations(dsn):
    node = await the_node(dsn)
    return node["desired_generation"], node["layout_generation"]


WISHES = [
    ("tenant_id = 'vision'", (1, 0)),
    ("target = 'KUBERNETES'", (1, 0)),
    ("desired_cordoned = true", (1, 0)),
    ("desired_cordon_reason = 'fan'", (1, 0)),
    ("desired_retried = 1", (1, 0)),
    ("desired_layout = '{}'", (1, 1)),
    ("desired_uid = 'u'", (1, 1)),
    ("desired_acknowledged = '{a}'", (1, 1)),
    ("desired_cordoned = true, desired_layout = '{}'", (1, 1)),
    ("claimed_cards = 8", (0, 0)),
    ("desired_cordoned = false", (0, 0)),
]


@pytest.mark.parametrize(("sets", "grown"), WISHES)
async def test_a_generation_grows_once_with_each_statement_that_changes_a_wish(dsn, sets, grown):
    async with session_of(API, dsn) as api:
        await api.execute(f"UPDATE node_record SET {sets}")  # noqa: S608 - above
        assert await generations(dsn) == grown
        await api.execute(f"UPDATE node_record SET {sets}")  # noqa: S608 - above
    assert await generations(dsn) == grown


async def test_a_layout_generation_stays_at_the_generation_in_which_the_layout_changed(dsn):
    async with session_of(API, dsn) as api:
        await api.execute("UPDATE node_record SET desired_layout = '{}'")
        await api.execute("UPDATE node_record SET desired_cordoned = true")
        assert await generations(dsn) == (2, 1)
        await api.execute("UPDATE node_record SET desired_layout = NULL")
    assert await generations(dsn) == (3, 3)


async def test_what_others_write_moves_no_generation_and_no_time_of_the_wish(dsn):
    await execute(
        dsn, "SET gateway.actor = 'ana'", "UPDATE node_record SET desired_cordoned = true", role=API
    )
    before = await the_node(dsn)
    await execute(dsn, "UPDATE node_record SET health_reasons = '[]'", role=HEALTH)
    await execute(
        dsn, "SET gateway.epoch = 1", "UPDATE node_record SET observed_message = 'x'", role=RECONCILER
    )
    after = await the_node(dsn)

    wish = ("desired_generation", "desired_changed_at", "desired_changed_by")
    assert [after[column] for column in wish] == [before[column] for column in wish]
    assert (before["desired_changed_by"], before["observed_changed_at"]) == ("ana", None)
    assert after["observed_changed_at"] > before["desired_changed_at"]


async def test_neither_a_generation_nor_a_time_is_set_by_hand(dsn):
    await execute(dsn, "UPDATE node_record SET desired_cordoned = true", role=API)
    before = await the_node(dsn)
    await execute(
        dsn,
        "UPDATE node_record SET desired_generation = 0, layout_generation = 9, desired_changed_at = NULL,"
        " desired_changed_by = NULL, observed_changed_at = now()",
    )
    assert await the_node(dsn) == before


@pytest.mark.parametrize(
    ("settings", "actor"),
    [
        ((), API),
        (("SET gateway.actor = 'ana'",), "ana"),
        (("BEGIN", "SET LOCAL gateway.actor = 'ana'", "COMMIT"), API),
    ],
)
async def test_who_asked_is_the_actor_of_the_session_and_else_its_role(dsn, settings, actor):
    await execute(dsn, *settings, "UPDATE node_record SET desired_cordoned = true", role=API)
    assert (await the_node(dsn))["desired_changed_by"] == actor


async def test_that_a_node_was_looked_at_again_is_told_to_nobody(dsn):
    told = []
    async with session_of(API, dsn) as listener, session_of(HEALTH, dsn) as monitor:
        await listener.add_listener(CHANNEL, lambda *said: told.append(said[-1]))
        for reasons, hour in (("[]", 1), ("[]", 2), ("[1]", 2), ("[1]", 3)):
            await monitor.execute(
                "UPDATE node_record SET health_healthy = true, health_reasons = $1, health_checked_at = $2",
                reasons,
                datetime(2026, 5, 1, hour, tzinfo=UTC),
            )
        await execute(dsn, "UPDATE controller SET paused_by = 'ana'", role=API)
        await listener.execute("SELECT 1")
    assert told == [
        "node_record fleet/gpu-01",
        "node_record fleet/gpu-01",
        "controller node-reconciler/fleet",
    ]
    assert (await the_node(dsn))["health_checked_at"] == datetime(2026, 5, 1, 3, tzinfo=UTC)


async def test_a_record_that_comes_back_does_not_begin_at_a_generation_that_it_had(dsn):
    again = "INSERT INTO node_record (cluster, name, target) VALUES ('fleet', 'gpu-01', 'SLURM')"
    await execute(dsn, "DELETE FROM node_record", again, role=API)
    assert await generations(dsn) == (0, 0)
    await execute(dsn, "UPDATE node_record SET desired_layout = '{}'", "DELETE FROM node_record", role=API)
    await execute(dsn, "SET gateway.actor = 'ana'", again, role=API)
    node = await the_node(dsn)
    assert (node["desired_generation"], node["layout_generation"], node["desired_changed_by"]) == (
        2,
        0,
        "ana",
    )
    await execute(dsn, "UPDATE node_record SET desired_layout = '{}'", role=API)
    assert await generations(dsn) == (3, 3)
