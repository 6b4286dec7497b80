"""What the gateway relies on in any PostgreSQL that keeps the platform's records.

A test class inherits this and gives `postgres_dsn`, an empty database.
"""

from datetime import UTC, datetime
from decimal import Decimal

import asyncpg
import pytest

from gateway.fleet.gpu import Price
from gateway.fleet.platform import Allocation, NodeRecord, Target, Workspace
from gateway.sources.postgres.migrate import migrate, shipped_migrations
from gateway.sources.postgres.platform_file import read_platform_file
from gateway.sources.postgres.records import RECORDS
from gateway.sources.postgres.write import import_platform
from tests.sources.postgres.running import following, open_session

PLATFORM = """
gpuTypes:
  - {name: H100-80GB, memoryMiB: 81559, products: [NVIDIA-H100-80GB-HBM3], slurmTypes: [h100]}
prices:
  - {gpuType: H100-80GB, amount: "2.50", currency: USD, from: 2026-01-01T00:00:00Z}
tenants:
  - name: vision
    nodes:
      - {name: gpu-01, target: KUBERNETES, cluster: fleet}
      - {name: gpu-01, target: SLURM, cluster: east, cards: 8, gpuType: H100-80GB}
    workspaces:
      - {name: training, cluster: fleet, namespaces: [b, a], queue: vision, allocations: {H100-80GB: 4}}
clusters: [fleet, east]
"""

REFUSED = [
    "INSERT INTO gpu_price VALUES ('T4-16GB', now(), 'NaN', 'USD')",
    "INSERT INTO gpu_price VALUES ('T4-16GB', now(), 'Infinity', 'USD')",
    "INSERT INTO gpu_price VALUES ('T4-16GB', now(), -0.01, 'USD')",
    "INSERT INTO gpu_price VALUES ('T4-16GB', now(), 1, 'usd')",
    "INSERT INTO gpu_price VALUES ('T4-16GB', 'infinity', 1, 'USD')",
    "INSERT INTO gpu_type VALUES ('T4', 0)",
    "INSERT INTO gpu_type VALUES ('T4', 1, ARRAY['a', NULL])",
    "INSERT INTO node_record VALUES ('fleet', 'gpu-09', 'BOTH')",
    "INSERT INTO node_record VALUES ('fleet', 'gpu-09', 'SLURM', 'nobody')",
    "INSERT INTO node_record VALUES ('fleet', 'gpu-09', 'SLURM', NULL, -1)",
    "INSERT INTO node_record VALUES ('fleet', 'gpu-01', 'SLURM')",
    "INSERT INTO gpu_allocation VALUES ('vision', 'training', 'T4-16GB', -1)",
    "INSERT INTO gpu_allocation VALUES ('vision', 'nowhere', 'T4-16GB', 1)",
    "INSERT INTO workspace_namespace VALUES ('fleet', 'a', 'vision', 'training')",
    "INSERT INTO workspace_namespace VALUES ('east', 'c', 'vision', 'training')",
    "DELETE FROM tenant",
    "DELETE FROM workspace",
]


class PlatformRecordsContract:
    @pytest.fixture
    async def imported(self, postgres_dsn, tmp_path):
        """A database that holds the file above."""
        await migrate(postgres_dsn)
        file = tmp_path / "platform.yaml"
        file.write_text(PLATFORM)
        await import_platform(postgres_dsn, read_platform_file(file))
        return postgres_dsn

    async def test_what_was_imported_is_what_is_read(self, imported):
        async with following(imported) as feed:
            await feed.until(lambda: RECORDS in feed.rows)

        (records,) = feed.rows[RECORDS].values()
        assert records.nodes["fleet", "gpu-01"] == NodeRecord(
            cluster="fleet",
            name="gpu-01",
            target=Target.KUBERNETES,
            tenant_name="vision",
            claimed_cards=None,
            claimed_gpu_type=None,
        )
        assert records.nodes["east", "gpu-01"].claimed_cards == 8
        assert records.workspaces["vision", "training"] == Workspace(
            tenant_name="vision",
            name="training",
            cluster_name="fleet",
            namespaces=("a", "b"),
            queue_name="vision",
            allocations=(Allocation(gpu_type="H100-80GB", cards=4, generation=1),),
        )
        start = datetime(2026, 1, 1, tzinfo=UTC)
        assert records.prices["H100-80GB"] == (
            Price(amount=Decimal("2.5"), currency="USD", effective_from=start),
        )
        assert records.gpu_types["H100-80GB"].products == ("NVIDIA-H100-80GB-HBM3",)
        assert records.gpu_types["T4-16GB"].memory_mib == 15360

    async def test_what_another_session_changes_is_told(self, imported):
        async with following(imported) as feed, open_session(imported) as session:
            await feed.until(lambda: RECORDS in feed.rows)
            await session.execute("UPDATE gpu_allocation SET cards = 6")
            await feed.until(lambda: _training(feed).allocations[0].cards == 6)
            await session.execute("DELETE FROM workspace_namespace WHERE namespace = 'a'")
            await feed.until(lambda: _training(feed).namespaces == ("b",))

        assert _training(feed).allocations[0].generation == 2

    async def test_the_second_migration_finds_nothing_to_do(self, imported):
        assert await migrate(imported) == []
        async with open_session(imported) as session:
            applied = await session.fetch("SELECT name FROM migration ORDER BY name")
        assert [row["name"] for row in applied] == [step.name for step in shipped_migrations()]

    @pytest.mark.parametrize("statement", REFUSED)
    async def test_what_nobody_can_count_with_is_refused(self, imported, statement):
        async with open_session(imported) as session:
            with pytest.raises(asyncpg.IntegrityConstraintViolationError):
                await session.execute(statement)

    async def test_no_key_is_too_long_for_its_notification(self, imported):
        async with open_session(imported) as session:
            await session.execute("INSERT INTO tenant VALUES ($1)", "é" * 2_000)
            assert await session.fetchval("SELECT count(*) FROM tenant") == 2

    async def test_a_generation_grows_with_what_is_wished_and_with_nothing_else(self, imported):
        async with open_session(imported) as session:
            await session.execute("UPDATE node_record SET claimed_cards = 4, desired_generation = 9")
            await session.execute("UPDATE node_record SET target = 'SLURM'")
            held = await session.fetch("SELECT desired_generation FROM node_record ORDER BY cluster")
            await session.execute("UPDATE gpu_allocation SET generation = 9")
            given = await session.fetchval("SELECT generation FROM gpu_allocation")

        assert [row["desired_generation"] for row in held] == [0, 1]
        assert given == 1


def _training(feed):
    return feed.rows[RECORDS]["records"].workspaces["vision", "training"]
