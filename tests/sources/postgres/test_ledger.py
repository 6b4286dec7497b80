"""The reconciler's ledger, as the reconciler's role, on a real database."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from gateway.errors import SourceMisread, SourceRefused, SourceUnavailable
from gateway.fleet.desired import (
    BlockCause,
    Blocker,
    CardLayout,
    MigLayout,
    NodeDesired,
    NodeObserved,
    ProfileCount,
    ReconcilePhase,
)
from gateway.fleet.platform import Target
from gateway.fleet.wish import Claim, Progress, Wish
from gateway.sources.postgres.connection import LIMITS, connected, read_dsn
from gateway.sources.postgres.ledger import PostgresNodeLedger
from gateway.sources.postgres.node_rows import to_json
from tests.sources.postgres.as_writer import (
    API,
    HEALTH,
    RECONCILER,
    a_session_waits,
    dsn_of,
    execute,
    session_of,
)

CONTROLLER = "node-reconciler/fleet"
LAYOUT = MigLayout(
    cards=(CardLayout(devices=(0, 1), profiles=(ProfileCount(profile="1g.10gb+me", count=2),)),)
)
CLAIM = Claim(
    epoch=1, cluster="fleet", node="gpu-01", generation=1, phase=ReconcilePhase.CORDONING, message="cordoning"
)
BEGAN = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
async def dsn(migrated):
    """A node that was asked to be cut anew in its first generation, and one of another cluster."""
    await execute(
        migrated,
        "INSERT INTO node_record (cluster, name, target)"
        " VALUES ('fleet', 'gpu-01', 'KUBERNETES'), ('east', 'gpu-02', 'SLURM')",
    )
    async with session_of(API, migrated) as session:
        await session.execute("SET gateway.actor = 'ana'")
        await session.execute(
            "UPDATE node_record SET desired_layout = $1, desired_uid = 'uid-1',"
            " desired_acknowledged = '{pod-1}' WHERE cluster = 'fleet'",
            to_json(LAYOUT),
        )
    return migrated


@pytest.fixture
async def ledger(dsn):
    """The ledger of a reconciler that leads the cluster."""
    ledger = PostgresNodeLedger(lambda: dsn_of(RECONCILER, dsn))
    assert await ledger.lead(CONTROLLER, "pod-a", 1) == 1
    return ledger


async def the_wish(ledger):
    (wish,) = await ledger.wishes("fleet")
    return wish


async def test_what_was_asked_is_read_as_the_wish_of_that_cluster_alone(ledger):
    wish = await the_wish(ledger)
    assert wish == Wish(
        cluster="fleet",
        node="gpu-01",
        target=Target.KUBERNETES,
        desired=NodeDesired(
            cordoned=False,
            cordon_reason=None,
            mig_layout=LAYOUT,
            generation=1,
            layout_generation=1,
            layout_uid="uid-1",
            acknowledged=frozenset({"pod-1"}),
            changed_at=wish.desired.changed_at,
            changed_by="ana",
        ),
        observed=None,
        progress=Progress(),
    )


async def test_a_claim_is_what_the_next_leader_reads(ledger):
    blocker = Blocker(cause=BlockCause.DISRUPTION_BUDGET, name="pdb/a\0b", workload_id="pod-1")
    progress = Progress(began_at=BEGAN, boot_id="b1", refusals={"evict a": 2}, nudged=True)
    claim = replace(
        CLAIM, phase=ReconcilePhase.BLOCKED, message="said \0", blockers=(blocker,), progress=progress
    )
    assert await ledger.claim(claim)

    wish = await the_wish(ledger)
    assert wish.progress == progress
    assert wish.observed == NodeObserved(
        phase=ReconcilePhase.BLOCKED,
        generation=1,
        layout_converged=0,
        converged=False,
        message="said \ufffd",
        blockers=(replace(blocker, name="pdb/a\ufffdb"),),
        changed_at=wish.observed.changed_at,
    )


async def test_a_verified_layout_stays_verified_through_claims_that_do_not_speak_of_it(ledger):
    assert await ledger.claim(replace(CLAIM, phase=ReconcilePhase.CONVERGED, layout_converged=1))
    assert (await the_wish(ledger)).observed.converged
    assert await ledger.claim(replace(CLAIM, phase=ReconcilePhase.UNCORDONING))
    assert (await the_wish(ledger)).observed.layout_converged == 1


async def test_a_claim_of_a_wish_that_moved_is_not_written(dsn, ledger):
    await execute(dsn, "UPDATE node_record SET desired_cordoned = true WHERE cluster = 'fleet'", role=API)
    assert not await ledger.claim(CLAIM)
    assert (await the_wish(ledger)).observed is None
    assert await ledger.claim(replace(CLAIM, generation=2))


async def test_a_claim_of_an_earlier_leader_is_not_written(dsn, ledger):
    assert await PostgresNodeLedger(lambda: dsn_of(RECONCILER, dsn)).lead(CONTROLLER, "pod-b", 1) == 2
    assert not await ledger.claim(CLAIM)
    assert (await the_wish(ledger)).observed is None
    assert await ledger.claim(replace(CLAIM, epoch=2))


async def test_who_leads_again_begins_a_new_epoch_too(ledger):
    assert await ledger.lead(CONTROLLER, "pod-a", 2) == 2
    assert not await ledger.claim(CLAIM)


async def test_a_leader_of_one_cluster_claims_nothing_in_another(ledger):
    assert await ledger.lead("node-reconciler/east", "pod-a", 1) == 1
    assert await ledger.lead("node-reconciler/east", "pod-a", 1) == 2
    assert not await ledger.claim(replace(CLAIM, epoch=2))


async def test_nothing_is_claimed_while_paused_whatever_it_is(dsn, ledger):
    await execute(dsn, "UPDATE controller SET paused_by = 'ana', paused_reason = 'storm'", role=API)
    for phase in (ReconcilePhase.CORDONING, ReconcilePhase.UNCORDONING, ReconcilePhase.BLOCKED):
        assert not await ledger.claim(replace(CLAIM, phase=phase))
    await execute(dsn, "UPDATE controller SET paused_by = NULL", role=API)
    assert await ledger.claim(CLAIM)


async def test_a_pause_from_before_the_first_leader_holds_for_it(dsn):
    ledger = PostgresNodeLedger(lambda: dsn_of(RECONCILER, dsn))
    pause = "INSERT INTO controller (name, paused_by) VALUES ('node-reconciler/fleet', 'ana')"
    await execute(dsn, pause, role=API)
    assert await ledger.lead(CONTROLLER, "pod-a", 1) == 1
    assert not await ledger.claim(CLAIM)


async def test_a_pause_waits_for_a_claim_in_flight_and_no_claim_passes_after_it(dsn, ledger):
    async with session_of(RECONCILER, dsn) as reconciler, session_of(API, dsn) as api:
        await reconciler.execute("SET gateway.epoch = 1")
        async with reconciler.transaction():
            await reconciler.execute(
                "UPDATE node_record SET observed_blockers = '[]' WHERE cluster = 'fleet'"
            )
            pausing = asyncio.create_task(api.execute("UPDATE controller SET paused_by = 'ana'"))
            await a_session_waits(dsn)
            late = asyncio.create_task(ledger.claim(CLAIM))
            assert not pausing.done()
        await pausing
    assert await late is False


@pytest.mark.parametrize("target", ["SLURM", None])
async def test_a_node_of_another_target_may_be_told_of_and_not_touched(dsn, ledger, target):
    async with session_of(API, dsn) as session:
        await session.execute("UPDATE node_record SET target = $1 WHERE cluster = 'fleet'", target)
    moved = replace(CLAIM, generation=2)
    assert not await ledger.claim(moved)
    assert await ledger.claim(replace(moved, phase=ReconcilePhase.BLOCKED, message="it serves Slurm"))
    assert (await the_wish(ledger)).observed.message == "it serves Slurm"


async def test_a_claim_of_a_node_without_a_record_is_not_written(ledger):
    assert not await ledger.claim(replace(CLAIM, node="gpu-99"))


async def test_a_row_that_cannot_be_read_does_not_keep_the_others_from_being_read(dsn, ledger):
    await execute(
        dsn,
        "INSERT INTO node_record (cluster, name) VALUES ('fleet', 'gpu-00')",
        "UPDATE node_record SET desired_layout = '[7]' WHERE name = 'gpu-00'",
    )
    assert (await the_wish(ledger)).node == "gpu-01"


async def test_a_node_in_change_that_cannot_be_read_holds_its_cluster_for_it_may_be_out_of_service(
    dsn, ledger
):
    assert await ledger.claim(CLAIM)
    await execute(dsn, "UPDATE node_record SET observed_progress = '[]' WHERE cluster = 'fleet'")
    with pytest.raises(SourceMisread, match=r"fleet/gpu-01 is in change, and observed_progress: \[\] is not"):
        await ledger.wishes("fleet")
    assert len(await ledger.wishes("east")) == 1


async def test_a_claim_behind_a_lock_ends_in_time_and_says_so(dsn, ledger):
    async with session_of(HEALTH, dsn) as other, other.transaction():
        await other.execute("SELECT FROM node_record FOR UPDATE")
        with pytest.raises(SourceUnavailable, match="lock timeout"):
            await ledger.claim(CLAIM)


@pytest.mark.usefixtures("ledger")
async def test_a_leader_that_freezes_with_a_row_in_hand_is_put_out_and_the_others_go_on(dsn):
    async with connected(read_dsn(dsn_of(RECONCILER, dsn)), "frozen", **LIMITS) as frozen:
        await frozen.execute("BEGIN; SET LOCAL gateway.epoch = 1")
        await frozen.execute("UPDATE node_record SET observed_blockers = '[]' WHERE cluster = 'fleet'")
        await execute(dsn, "UPDATE node_record SET desired_cordoned = true", role=API)
    async with session_of(HEALTH, dsn) as session:
        assert await session.fetch("SELECT 1 FROM node_record WHERE observed_blockers IS NOT NULL") == []


async def test_another_writer_does_not_lead(dsn):
    with pytest.raises(SourceRefused, match="permission denied for table controller"):
        await PostgresNodeLedger(lambda: dsn_of(API, dsn)).lead(CONTROLLER, "pod-a", 1)


async def test_a_site_of_one_role_is_fenced_by_the_epoch_that_its_claims_name(dsn):
    ledger = PostgresNodeLedger(lambda: dsn)
    assert await ledger.lead(CONTROLLER, "pod-a", 1) == 1
    assert await ledger.claim(CLAIM)
    assert await ledger.lead(CONTROLLER, "pod-b", 1) == 2
    assert not await ledger.claim(replace(CLAIM, message="late"))
    assert (await the_wish(ledger)).observed.message == "cordoning"
