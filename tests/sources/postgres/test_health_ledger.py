"""The health monitor's ledger, as its role, on a real database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from gateway.errors import SourceRefused, System
from gateway.fleet.clock import utc_now
from gateway.fleet.health_reason import HealthCode, HealthReason, ReportedHealth
from gateway.fleet.unknown import undetermined
from gateway.sources.postgres.health import PostgresHealthLedger
from gateway.sources.postgres.snapshot import read_snapshot
from tests.sources.postgres.as_writer import HEALTH, RECONCILER, dsn_of, execute
from tests.sources.postgres.running import open_session

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
LOST = HealthReason(code=HealthCode.CARDS_LOST, message="7 of 8 \0", since=NOON)
SICK = ReportedHealth(healthy=False, reasons=(LOST,), checked_at=NOON)
WELL = ReportedHealth(healthy=True, reasons=(), checked_at=NOON)


@pytest.fixture
async def dsn(migrated):
    await execute(
        migrated,
        "INSERT INTO node_record (cluster, name)"
        " VALUES ('fleet', 'gpu-01'), ('fleet', 'gpu-02'), ('fleet', 'gpu-03'), ('east', 'gpu-01')",
    )
    return migrated


@pytest.fixture
def ledger(dsn):
    return PostgresHealthLedger(lambda: dsn_of(HEALTH, dsn))


async def reported(dsn):
    """The reported health of each node that has any."""
    async with open_session(dsn) as session:
        nodes = (await read_snapshot(session)).records.nodes
    return {key: node.reported_health for key, node in nodes.items() if node.reported_health}


async def test_many_nodes_of_one_cluster_are_told_at_once_and_no_other(dsn, ledger):
    await ledger.report("fleet", {"gpu-01": SICK, "gpu-02": WELL, "gpu-99": WELL})
    kept = replace(SICK, reasons=(replace(LOST, message="7 of 8 \ufffd"),))
    assert await reported(dsn) == {("fleet", "gpu-01"): kept, ("fleet", "gpu-02"): WELL}


async def test_since_when_may_stay_unknown(dsn, ledger):
    unknown = undetermined(System.KUBERNETES, "no event says")
    health = replace(SICK, reasons=(HealthReason(code=HealthCode.NOT_READY, message="down", since=unknown),))
    await ledger.report("fleet", {"gpu-01": health})
    assert await reported(dsn) == {("fleet", "gpu-01"): health}


async def test_a_report_that_comes_late_does_not_undo_a_newer_one(dsn, ledger):
    await ledger.report("fleet", {"gpu-01": WELL})
    await ledger.report("fleet", {"gpu-01": replace(SICK, checked_at=NOON - timedelta(seconds=1))})
    assert await reported(dsn) == {("fleet", "gpu-01"): WELL}


async def test_a_monitor_whose_clock_is_ahead_keeps_no_report_of_the_next_away(dsn, ledger):
    now = utc_now()
    await ledger.report("fleet", {"gpu-01": replace(WELL, checked_at=now + timedelta(hours=1))})
    (told,) = (await reported(dsn)).values()
    assert now - timedelta(minutes=5) < told.checked_at < now + timedelta(minutes=5)

    later = told.checked_at + timedelta(milliseconds=1)
    await ledger.report("fleet", {"gpu-01": replace(SICK, checked_at=later)})

    (told,) = (await reported(dsn)).values()
    assert not told.healthy


async def test_no_report_is_no_change(dsn, ledger):
    await ledger.report("fleet", {})
    assert await reported(dsn) == {}


async def test_another_writer_reports_nothing(dsn):
    with pytest.raises(SourceRefused, match="permission denied for table node_record"):
        await PostgresHealthLedger(lambda: dsn_of(RECONCILER, dsn)).report("fleet", {"gpu-01": WELL})
