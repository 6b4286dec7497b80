"""Who leads, what an earlier leader still writes, and what is held while a node is in change."""

import asyncio

import asyncpg
import pytest

from gateway.fleet.desired import RESTING, ReconcilePhase
from gateway.sources.postgres.sqlstates import IN_CHANGE, PAUSED, STALE_LEADER
from tests.sources.postgres.as_writer import (
    API,
    HEALTH,
    RECONCILER,
    a_session_waits,
    execute,
    session_of,
    the_node,
)
from tests.sources.postgres.running import open_session

LEAD = "UPDATE controller SET holder = 'pod-b'"
CARRY = "UPDATE node_record SET observed_message = 'late'"


@pytest.fixture
async def dsn(migrated):
    """One node, and a leader of its cluster in the first epoch."""
    await execute(
        migrated,
        "INSERT INTO tenant (id) VALUES ('vision')",
        "INSERT INTO node_record (cluster, name, target) VALUES ('fleet', 'gpu-01', 'KUBERNETES')",
        "INSERT INTO controller (name, holder) VALUES ('node-reconciler/fleet', 'pod-a')",
    )
    return migrated


async def refused(writer, statement):
    """The SQLSTATE by which a statement is refused."""
    with pytest.raises(asyncpg.PostgresError) as told:
        await writer.execute(statement)
    return told.value.sqlstate


async def test_a_leader_writes_in_its_epoch_and_no_longer_in_an_earlier_one(dsn):
    async with session_of(RECONCILER, dsn) as old, session_of(RECONCILER, dsn) as new:
        await old.execute("SET gateway.epoch = 1")
        await old.execute("UPDATE node_record SET observed_message = 'first'")
        await new.execute(LEAD)
        assert await refused(old, CARRY) == STALE_LEADER
        assert await refused(new, CARRY) == STALE_LEADER
        await new.execute("SET gateway.epoch = 2")
        await new.execute("UPDATE node_record SET observed_message = 'second'")
    assert (await the_node(dsn))["observed_message"] == "second"


@pytest.mark.parametrize("setting", ["SELECT 1", "SET gateway.epoch = ''", "SET gateway.epoch = 'x'"])
async def test_who_leaves_its_epoch_out_is_refused_as_a_stale_one_is(dsn, setting):
    async with session_of(RECONCILER, dsn) as writer:
        await writer.execute(setting)
        assert await refused(writer, CARRY) == STALE_LEADER


async def test_an_epoch_that_was_set_for_another_transaction_is_none(dsn):
    async with session_of(RECONCILER, dsn) as writer:
        async with writer.transaction():
            await writer.execute("SET LOCAL gateway.epoch = 1")
        assert await refused(writer, CARRY) == STALE_LEADER


@pytest.mark.parametrize("epoch", ["", "0", "1"])
async def test_a_cluster_without_a_leader_is_written_by_nobody(dsn, epoch):
    await execute(dsn, "DELETE FROM controller")
    async with session_of(RECONCILER, dsn) as writer:
        await writer.execute(f"SET gateway.epoch = '{epoch}'")
        assert await refused(writer, CARRY) == STALE_LEADER
        await execute(
            dsn,
            "INSERT INTO controller (name, paused_by) VALUES ('node-reconciler/fleet', 'ana')",
            "UPDATE controller SET paused_by = NULL",
            role=API,
        )
        assert await refused(writer, CARRY) == STALE_LEADER


async def test_a_table_of_the_writers_own_does_not_stand_in_for_the_controllers(dsn):
    async with session_of(RECONCILER, dsn) as writer:
        await writer.execute("CREATE TEMP TABLE controller (LIKE gateway.controller)")
        await writer.execute("INSERT INTO pg_temp.controller VALUES ('node-reconciler/fleet', 7)")
        await writer.execute("SET gateway.epoch = 7; SET search_path = pg_temp, gateway")
        assert await refused(writer, "UPDATE gateway.node_record SET observed_message = 'x'") == STALE_LEADER


async def test_an_epoch_only_grows_and_by_one_whatever_is_written(dsn):
    async with open_session(dsn) as owner:
        assert await owner.fetchval(f"{LEAD} RETURNING epoch") == 2
        assert await owner.fetchval("UPDATE controller SET epoch = 9, holder = 'c' RETURNING epoch") == 3
        assert await owner.fetchval("UPDATE controller SET max_in_change = 4 RETURNING epoch") == 3
        assert await owner.fetchval("UPDATE controller SET paused_by = 'ana' RETURNING epoch") == 3


async def test_a_new_leader_waits_for_writes_in_flight_and_later_ones_of_the_old_are_refused(dsn):
    async with session_of(RECONCILER, dsn) as old, session_of(RECONCILER, dsn) as new:
        await old.execute("SET gateway.epoch = 1")
        async with old.transaction():
            await old.execute("UPDATE node_record SET observed_message = 'in flight'")
            leading = asyncio.create_task(new.fetchval(f"{LEAD} RETURNING epoch"))
            await a_session_waits(dsn)
            assert not leading.done()
        assert await leading == 2
        assert await refused(old, CARRY) == STALE_LEADER
    assert (await the_node(dsn))["observed_message"] == "in flight"


async def test_a_write_that_waits_for_a_new_leader_is_refused_once_that_one_leads(dsn):
    async with session_of(RECONCILER, dsn) as old, session_of(RECONCILER, dsn) as new:
        await old.execute("SET gateway.epoch = 1")
        async with new.transaction():
            await new.execute(LEAD)
            late = asyncio.create_task(refused(old, CARRY))
            await a_session_waits(dsn)
        assert await late == STALE_LEADER


async def test_nothing_is_written_by_a_leader_that_is_paused_and_others_go_on(dsn):
    await execute(dsn, "UPDATE controller SET paused_by = 'ana'", role=API)
    async with session_of(RECONCILER, dsn) as writer:
        await writer.execute("SET gateway.epoch = 1")
        assert await refused(writer, CARRY) == PAUSED
    await execute(dsn, "UPDATE node_record SET desired_cordoned = true", role=API)
    await execute(dsn, "UPDATE node_record SET health_reasons = '[]'", role=HEALTH)


MOVES = (
    "UPDATE node_record SET target = 'SLURM'",
    "UPDATE node_record SET target = NULL",
    "UPDATE node_record SET tenant_id = 'vision'",
    "DELETE FROM node_record",
)


async def _is_in(dsn, phase):
    async with open_session(dsn) as owner:
        await owner.execute(
            "UPDATE node_record SET observed_phase = $1, observed_generation = 0,"
            " observed_layout_converged = 0, observed_message = ''",
            phase,
        )


async def test_target_tenant_and_record_are_held_in_every_phase_of_a_change_and_wishes_are_not(dsn):
    async with session_of(API, dsn) as api:
        for phase in set(ReconcilePhase) - RESTING:
            await _is_in(dsn, phase.value)
            assert [await refused(api, move) for move in MOVES] == [IN_CHANGE] * len(MOVES)
            await api.execute(
                "UPDATE node_record SET desired_layout = NULL, claimed_cards = 8, target = 'KUBERNETES'"
            )


@pytest.mark.parametrize("phase", [None, *(phase.value for phase in RESTING)])
async def test_a_node_at_rest_may_be_given_and_taken(dsn, phase):
    async with session_of(API, dsn) as api:
        if phase:
            await _is_in(dsn, phase)
        for move in MOVES:
            await api.execute(move)


@pytest.mark.parametrize("held", ["desired_cordoned = true", """observed_progress = '{"began_at": "now"}'"""])
async def test_a_record_stays_while_the_gateway_keeps_new_work_from_its_node(dsn, held):
    await _is_in(dsn, "FAILED")
    async with open_session(dsn) as owner, session_of(API, dsn) as api:
        await owner.execute(f"UPDATE node_record SET {held}")  # noqa: S608 - the parameter is ours
        assert await refused(api, "DELETE FROM node_record") == IN_CHANGE
        await owner.execute("UPDATE node_record SET desired_cordoned = false, observed_progress = '{}'")
        await api.execute("DELETE FROM node_record")


async def test_what_is_held_is_held_for_the_owner_of_the_tables_too(dsn):
    await _is_in(dsn, "DRAINING")
    async with open_session(dsn) as owner:
        assert [await refused(owner, move) for move in MOVES] == [IN_CHANGE] * len(MOVES)
        assert await refused(owner, "UPDATE node_record SET name = 'gpu-02'") == IN_CHANGE


async def test_of_six_that_give_the_same_node_at_once_one_does(dsn):
    take = "UPDATE node_record SET tenant_id = 'vision', target = 'SLURM' WHERE tenant_id IS NULL"

    async def taken():
        async with session_of(API, dsn) as api:
            return await api.execute(take)

    assert sorted(await asyncio.gather(*(taken() for _ in range(6)))) == ["UPDATE 0"] * 5 + ["UPDATE 1"]
