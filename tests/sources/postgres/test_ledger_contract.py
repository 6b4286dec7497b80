"""The ledger in a real database, as the reconciler's role."""

import pytest

from gateway.fleet.desired import MigLayout
from gateway.sources.postgres.ledger import PostgresNodeLedger
from gateway.sources.postgres.node_rows import to_json
from tests.contracts.node_ledger import CONTROLLER, Asks, NodeLedgerContract
from tests.sources.postgres.as_writer import API, RECONCILER, dsn_of, session_of


class InPostgres(Asks):
    def __init__(self, dsn):
        self._dsn = dsn

    async def layout(self, config, uid="uid-1", acknowledged=()):
        columns = "desired_layout = $1::text::jsonb, desired_uid = $2, desired_acknowledged = $3"
        await self._set(columns, to_json(MigLayout(config=config)), uid, list(acknowledged))

    async def cordon(self):
        await self._set("desired_cordoned = true")

    async def again(self):
        await self._set("desired_retried = desired_generation + 1")

    async def serves_slurm(self):
        await self._set("target = 'SLURM'")

    async def pause(self, *, paused):
        async with session_of(API, self._dsn) as session:
            await session.execute(
                "UPDATE controller SET paused_by = $2 WHERE name = $1", CONTROLLER, "ada" if paused else None
            )

    async def _set(self, columns, *values):
        async with session_of(API, self._dsn) as session:
            await session.execute(f"UPDATE node_record SET {columns}", *values)  # noqa: S608  our own columns


class TestPostgresLedger(NodeLedgerContract):
    @pytest.fixture
    async def ledger(self, migrated):
        async with session_of(API, migrated) as session:
            await session.execute(
                "INSERT INTO node_record (cluster, name, target) VALUES ('fleet', 'gpu-01', 'KUBERNETES')"
            )
        return PostgresNodeLedger(lambda: dsn_of(RECONCILER, migrated))

    @pytest.fixture
    def asks(self, ledger, migrated):
        assert ledger
        return InPostgres(migrated)
