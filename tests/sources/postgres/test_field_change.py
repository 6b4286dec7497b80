"""History as the database writes it: every change of every owned field, by whom, from what to what."""

import json

import asyncpg
import pytest

from tests.sources.postgres.as_writer import API, HEALTH, RECONCILER, execute, session_of
from tests.sources.postgres.running import open_session

SPACE = """
INSERT INTO tenant (id) VALUES ('vision');
INSERT INTO workspace (tenant_id, name, cluster) VALUES ('vision', 'train', 'fleet');
INSERT INTO controller (name, holder) VALUES ('node-reconciler/fleet', 'pod-a')
"""


@pytest.fixture
async def dsn(migrated):
    """A workspace, a led cluster, and no history yet."""
    await execute(migrated, SPACE, "DELETE FROM field_change")
    return migrated


async def history(dsn):
    """Each change as (thing, key, field, before, after, writer, actor, generation), oldest first."""
    async with open_session(dsn) as owner:
        rows = await owner.fetch(
            "SELECT thing, key, field, before, after, writer, actor, generation FROM field_change ORDER BY id"
        )
    return [
        (
            row["thing"],
            "/".join(row["key"]),
            row["field"],
            *(json.loads(row[side]) if row[side] else None for side in ("before", "after")),
            row["writer"],
            row["actor"],
            row["generation"],
        )
        for row in rows
    ]


async def test_a_record_that_comes_and_goes_tells_what_it_said_and_nothing_of_what_it_did_not(dsn):
    insert = "INSERT INTO node_record (cluster, name, target) VALUES ('fleet', 'gpu-01', 'SLURM')"
    await execute(dsn, insert, "DELETE FROM node_record", role=API)
    assert await history(dsn) == [
        ("node_record", "fleet/gpu-01", "target", None, "SLURM", API, API, 0),
        ("node_record", "fleet/gpu-01", "target", "SLURM", None, API, API, 0),
    ]


async def test_each_field_of_each_writer_is_told_with_its_generation(dsn):
    await execute(dsn, "INSERT INTO node_record (cluster, name) VALUES ('fleet', 'gpu-01')")
    wish = "UPDATE node_record SET desired_cordoned = true, desired_acknowledged = '{b}'"
    await execute(dsn, "SET gateway.actor = 'ana'", wish, wish, role=API)
    carry = "UPDATE node_record SET observed_blockers = '[7]', observed_progress = '{}'"
    await execute(dsn, "SET gateway.epoch = 1", carry, carry, role=RECONCILER)
    report = "UPDATE node_record SET health_healthy = false, health_reasons = '[]', health_checked_at = now()"
    await execute(dsn, report, report, role=HEALTH)
    key = ("node_record", "fleet/gpu-01")
    assert await history(dsn) == [
        (*key, "desired_acknowledged", [], ["b"], API, "ana", 1),
        (*key, "desired_cordoned", False, True, API, "ana", 1),
        (*key, "observed_blockers", None, [7], RECONCILER, RECONCILER, 1),
        (*key, "observed_progress", None, {}, RECONCILER, RECONCILER, 1),
        (*key, "health_healthy", None, False, HEALTH, HEALTH, 1),
        (*key, "health_reasons", None, [], HEALTH, HEALTH, 1),
    ]


async def test_allocations_are_told_with_their_own_generation(dsn):
    give = (
        "INSERT INTO gpu_allocation (tenant_id, workspace, gpu_type, cards)"
        " VALUES ('vision', 'train', 'A100', 4)"
        " ON CONFLICT (tenant_id, workspace, gpu_type) DO UPDATE SET cards = 6"
    )
    await execute(dsn, give, give, give, "DELETE FROM gpu_allocation", role=API)
    key = ("gpu_allocation", "vision/train/A100", "cards")
    assert await history(dsn) == [
        (*key, None, 4, API, API, 1),
        (*key, 4, 6, API, API, 2),
        (*key, 6, None, API, API, 2),
    ]


async def test_prices_are_told(dsn):
    await execute(
        dsn,
        "INSERT INTO gpu_price (gpu_type, effective_from, amount, currency)"
        " VALUES ('A100', '2026-05-01T00:00:00Z', 2.50, 'USD')",
        "UPDATE gpu_price SET amount = 2.5",
        "UPDATE gpu_price SET amount = 3",
        role=API,
    )
    key = ("gpu_price", "A100/2026-05-01T00:00:00+00:00")
    assert await history(dsn) == [
        (*key, "amount", None, 2.5, API, API, None),
        (*key, "currency", None, "USD", API, API, None),
        (*key, "amount", 2.5, 3, API, API, None),
    ]


async def test_leaders_and_pauses_are_told(dsn):
    await execute(dsn, "UPDATE controller SET holder = 'pod-b', max_in_change = 2", role=RECONCILER)
    pause = "UPDATE controller SET paused_by = 'ana', paused_reason = 'storm'"
    await execute(dsn, "SET gateway.actor = 'ana'", pause, role=API)
    key = ("controller", "node-reconciler/fleet")
    assert await history(dsn) == [
        (*key, "holder", "pod-a", "pod-b", RECONCILER, RECONCILER, None),
        (*key, "max_in_change", None, 2, RECONCILER, RECONCILER, None),
        (*key, "paused_by", None, "ana", API, "ana", None),
        (*key, "paused_reason", None, "storm", API, "ana", None),
    ]


async def test_an_administrator_is_told_by_name_and_what_failed_is_not_told_at_all(dsn):
    await execute(dsn, "INSERT INTO node_record (cluster, name) VALUES ('fleet', 'gpu-01')")
    async with session_of("postgres", dsn) as owner:
        await owner.execute("UPDATE node_record SET observed_message = 'mended'")
        with pytest.raises(asyncpg.DivisionByZeroError):
            await owner.execute("UPDATE node_record SET claimed_cards = 1 / 0")
    key = ("node_record", "fleet/gpu-01", "observed_message")
    assert await history(dsn) == [(*key, None, "mended", "postgres", "postgres", 0)]
