import pytest

from tests.sources.postgres.as_writer import API, dsn_of
from tests.sources.postgres.orders.replica import running_replica

RECORDS = """
INSERT INTO tenant (id) VALUES ('vision'), ('speech');
INSERT INTO workspace (tenant_id, name, cluster) VALUES
    ('vision', 'training', 'fleet'), ('vision', 'serving', 'fleet');
INSERT INTO node_record (cluster, name, target, tenant_id) VALUES
    ('fleet', 'gpu-01', 'KUBERNETES', 'vision'), ('fleet', 'gpu-02', 'SLURM', 'vision'),
    ('fleet', 'gpu-03', NULL, NULL);
INSERT INTO controller (name) VALUES ('node-reconciler/fleet'), ('node-reconciler/east');
"""


@pytest.fixture
async def api(migrated, session):
    """The DSN of the API's own role, on a database that holds a few records."""
    await session.execute(RECORDS)
    return dsn_of(API, migrated)


@pytest.fixture
async def replica(api):
    """A replica of the gateway, as far as it reads and writes the records."""
    async with running_replica(api) as running:
        yield running
