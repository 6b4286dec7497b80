"""What the steps of desired state make of a database that has records already."""

from gateway.sources.postgres.migrate import migrate, shipped_migrations
from tests.sources.postgres.running import open_session

BEFORE = """
INSERT INTO tenant (id) VALUES ('vision'), ('speech');
INSERT INTO workspace (tenant_id, name, cluster) VALUES
    ('vision', 'train', 'fleet'), ('vision', 'serve', 'fleet'),
    ('vision', 'edge', 'far'), ('speech', 'train', 'fleet');
INSERT INTO gpu_allocation (tenant_id, workspace, gpu_type, cards) VALUES
    ('vision', 'train', 'A100', 5), ('vision', 'serve', 'A100', 3), ('vision', 'edge', 'A100', 2),
    ('vision', 'serve', 'T4', 0), ('speech', 'train', 'A100', 7);
INSERT INTO node_record (cluster, name, target, tenant_id) VALUES ('fleet', 'a', 'KUBERNETES', 'vision');
UPDATE node_record SET target = 'SLURM';
"""


async def test_records_from_before_are_kept_and_nobody_has_asked_for_anything_of_them(postgres_dsn):
    old = [step for step in shipped_migrations() if step.name < "0004"]
    await migrate(postgres_dsn, old)
    async with open_session(postgres_dsn) as session:
        await session.execute(BEFORE)
        await migrate(postgres_dsn)
        node = await session.fetchrow("SELECT * FROM node_record")
        pool = await session.fetch("SELECT * FROM gpu_pool ORDER BY 1, 2, 3")

    assert (node["target"], node["tenant_id"], node["desired_generation"]) == ("SLURM", "vision", 0)
    assert (node["desired_cordoned"], node["observed_phase"], node["health_healthy"]) == (False, None, None)
    assert [tuple(row) for row in pool] == [
        ("speech", "fleet", "A100", 7),
        ("vision", "far", "A100", 2),
        ("vision", "fleet", "A100", 8),
        ("vision", "fleet", "T4", 0),
    ]
