"""Every form in which a writer might change what is another's, tried as each role on a node's record."""

import asyncio

import asyncpg
import pytest

from tests.sources.postgres.as_writer import API, HEALTH, RECONCILER, RECORDER, session_of
from tests.sources.postgres.running import open_session

NODE = """
INSERT INTO tenant (id) VALUES ('vision'), ('speech');
INSERT INTO node_record (cluster, name, target, tenant_id) VALUES ('fleet', 'gpu-01', 'KUBERNETES', 'vision');
INSERT INTO controller (name, holder) VALUES ('node-reconciler/fleet', 'pod-a');
"""
# Each touches a column, or a right, that is none of the four's.
BEYOND = """
UPDATE node_record SET (target, tenant_id, observed_phase, health_healthy) = ('SLURM', NULL, NULL, NULL);
UPDATE node_record SET target = 'SLURM', desired_cordoned = true, observed_message = 'x',
    health_reasons = '[]';
INSERT INTO node_record (cluster, name, target, observed_message, health_healthy)
    VALUES ('fleet', 'gpu-01', 'SLURM', 'x', true)
    ON CONFLICT (cluster, name) DO UPDATE SET target = excluded.target,
        observed_message = excluded.observed_message, health_healthy = excluded.health_healthy;
MERGE INTO node_record USING (SELECT 'gpu-01' AS name) AS told ON node_record.name = told.name
    WHEN MATCHED THEN UPDATE SET target = 'SLURM', observed_message = 'x', health_healthy = true;
MERGE INTO node_record USING (SELECT 'gpu-01' AS name) AS told ON node_record.name = told.name
    WHEN MATCHED THEN UPDATE SET desired_generation = 7;
TRUNCATE node_record CASCADE;
ALTER TABLE node_record DISABLE TRIGGER ALL;
ALTER TABLE node_record OWNER TO CURRENT_USER;
DROP TRIGGER a_fence_reconciler ON node_record;
CREATE RULE nothing AS ON UPDATE TO node_record DO INSTEAD NOTHING;
CREATE TABLE gateway.mine (id integer);
SET session_replication_role = 'replica';
SET SESSION AUTHORIZATION postgres;
SET ROLE postgres
"""


@pytest.fixture
async def node(migrated):
    """A database with one node, whose tenant is vision."""
    async with open_session(migrated) as owner:
        await owner.execute(NODE)
    return migrated


async def the_row(dsn):
    async with open_session(dsn) as owner:
        return await owner.fetchrow("SELECT * FROM node_record")


@pytest.mark.parametrize("role", [API, RECONCILER, HEALTH, RECORDER])
async def test_what_goes_beyond_a_role_is_refused_in_whatever_form_and_changes_nothing(node, role):
    before = await the_row(node)
    async with session_of(role, node) as writer:
        await writer.execute("SET gateway.epoch = 1")
        for statement in BEYOND.split(";\n"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await writer.execute(statement)
    assert await the_row(node) == before


@pytest.mark.parametrize("role", [RECONCILER, HEALTH, RECORDER])
async def test_a_row_is_neither_copied_in_nor_deleted(node, role):
    before = await the_row(node)
    async with session_of(role, node) as writer:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await writer.copy_records_to_table(
                "node_record", columns=("cluster", "name"), records=[("fleet", "gpu-02")]
            )
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await writer.execute("DELETE FROM node_record")
    assert await the_row(node) == before


async def test_the_api_copies_in_no_column_of_another(node):
    async with session_of(API, node) as writer:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await writer.copy_records_to_table(
                "node_record",
                columns=("cluster", "name", "observed_phase"),
                records=[("fleet", "gpu-02", "CONVERGED")],
            )
        await writer.copy_records_to_table(
            "node_record", columns=("cluster", "name"), records=[("fleet", "gpu-02")]
        )


async def test_a_role_cannot_hand_itself_a_right(node):
    async with session_of(HEALTH, node) as writer:
        await writer.execute("GRANT UPDATE (health_healthy, target) ON node_record TO gateway_health")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await writer.execute("UPDATE node_record SET target = 'SLURM'")


async def test_a_monitor_that_writes_back_the_whole_record_it_read_undoes_nothing(node):
    """As it happened: read, look at the node for a while, write all of it back."""
    async with session_of(HEALTH, node) as monitor, session_of(API, node) as api:
        read = dict(await monitor.fetchrow("SELECT * FROM node_record"))
        await api.execute("UPDATE node_record SET tenant_id = 'speech', desired_cordoned = true")
        read["health_healthy"] = False
        sets = ", ".join(f"{column} = ${place}" for place, column in enumerate(read, 1))
        with pytest.raises(
            asyncpg.InsufficientPrivilegeError, match="permission denied for table node_record"
        ):
            await monitor.execute(f"UPDATE node_record SET {sets}", *read.values())  # noqa: S608 - our columns

    row = await the_row(node)
    assert (row["tenant_id"], row["desired_cordoned"], row["health_healthy"]) == ("speech", True, None)


FORGED = """
CREATE TEMP TABLE mine (cluster text, name text, observed_phase text, desired_generation integer);
CREATE TRIGGER forge AFTER INSERT ON mine FOR EACH ROW
    EXECUTE FUNCTION gateway.remember_change('desired_generation', '{}', 'cluster', 'name');
"""


DIRECTLY = (
    FORGED,
    "SELECT gateway.take_from_pool('vision', 'fleet', 'A100', -8)",
    "UPDATE gpu_pool SET allocated = 0",
    "INSERT INTO field_change (thing, key, field, writer, actor) VALUES ('node_record', '{}', 'a', 'b', 'c')",
)


@pytest.mark.parametrize("role", [API, RECONCILER, HEALTH, RECORDER])
async def test_history_and_pool_are_written_by_nobody_but_the_triggers(node, role):
    async with session_of(role, node) as writer:
        for statement in DIRECTLY:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await writer.execute(statement)


ROUNDS = 500


async def _rounds(dsn, role, setup, statement):
    """Write so often, each time something new."""
    async with session_of(role, dsn) as writer:
        await writer.execute(setup)
        for number in range(1, ROUNDS + 1):
            await writer.execute(statement.replace("@", str(number)))


async def _whole_rows(dsn):
    """A monitor that replaces the whole record, as often as it can meanwhile."""
    async with session_of(HEALTH, dsn) as monitor:
        for _ in range(ROUNDS):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await monitor.execute("UPDATE node_record SET target = NULL, health_reasons = '[]'")


async def test_four_writers_of_one_node_at_once_lose_nothing_and_history_has_every_write(node):
    wish = "UPDATE node_record SET desired_cordon_reason = '@'"
    claim = "UPDATE node_record SET claimed_cards = @"
    carry = "UPDATE node_record SET observed_message = '@'"
    report = "UPDATE node_record SET health_reasons = '[@]'"
    async with asyncio.TaskGroup() as group:
        group.create_task(_rounds(node, API, "SET gateway.actor = 'ana'", wish))
        group.create_task(_rounds(node, API, "SET gateway.actor = 'import'", claim))
        group.create_task(_rounds(node, RECONCILER, "SET gateway.epoch = 1", carry))
        group.create_task(_rounds(node, HEALTH, "SELECT 1", report))
        group.create_task(_whole_rows(node))

    row = await the_row(node)
    last = ("desired_cordon_reason", "claimed_cards", "observed_message", "health_reasons")
    assert [row[column] for column in last] == ["500", 500, "500", "[500]"]
    assert (row["target"], row["desired_generation"]) == ("KUBERNETES", ROUNDS)
    assert await _told(node, "desired_cordon_reason", API, "ana") == [f'"{n}"' for n in range(1, ROUNDS + 1)]
    assert await _told(node, "claimed_cards", API, "import") == [str(n) for n in range(1, ROUNDS + 1)]
    assert await _told(node, "observed_message", RECONCILER, RECONCILER) == [
        f'"{n}"' for n in range(1, ROUNDS + 1)
    ]
    assert await _told(node, "health_reasons", HEALTH, HEALTH) == [f"[{n}]" for n in range(1, ROUNDS + 1)]


async def _told(dsn, field, writer, actor):
    """What a field became, by that writer in that name, in the order of history; each from the one before."""
    async with open_session(dsn) as owner:
        rows = await owner.fetch(
            "SELECT before, after FROM field_change WHERE (field, writer, actor) = ($1, $2, $3) ORDER BY id",
            field,
            writer,
            actor,
        )
    assert [row["before"] for row in rows] == [None, *(row["after"] for row in rows[:-1])]
    return [row["after"] for row in rows]
