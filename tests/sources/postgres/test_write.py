import pytest

from gateway.errors import Conflict, SourceMisread
from gateway.sources.postgres.platform_file import read_platform_file
from gateway.sources.postgres.write import import_platform
from tests.sources.postgres.as_writer import API, dsn_of
from tests.sources.postgres.running import open_session

START = """
gpuTypes:
  - {name: X1, memoryMiB: 81559, products: [NVIDIA-X1], slurmTypes: [x1]}
prices:
  - {gpuType: X1, amount: "2.50", currency: USD, from: 2026-01-01T00:00:00Z}
tenants:
  - name: vision
    nodes:
      - {name: gpu-01, target: KUBERNETES}
    workspaces:
      - {name: training, namespaces: [images], queue: vision, allocations: {X1: 4}}
  - name: speech
    workspaces:
      - {name: live}
"""
TABLES = (
    "gpu_type",
    "gpu_price",
    "tenant",
    "workspace",
    "workspace_namespace",
    "gpu_allocation",
    "node_record",
)


@pytest.fixture
async def load(migrated, tmp_path):
    """Import a file that holds this text; the lines that tell what it changes."""

    async def load_text(text, **how):
        file = tmp_path / "platform.yaml"
        file.write_text(text)
        changes = await import_platform(dsn_of(API, migrated), read_platform_file(file), **how)
        return [str(change) for change in changes]

    return load_text


async def contents(session):
    query = "SELECT to_jsonb(t) FROM {} AS t ORDER BY 1"
    return {table: await session.fetch(query.format(table)) for table in TABLES}


async def test_an_import_tells_every_row_that_it_adds(load):
    assert await load(START) == [
        "+ gpu_type X1: memory_mib 81559, products [NVIDIA-X1], slurm_types [x1]",
        "+ gpu_price X1/2026-01-01T00:00:00Z: amount 2.5, currency USD",
        "+ tenant vision",
        "+ tenant speech",
        "+ workspace vision/training: cluster fleet, queue vision",
        "+ workspace speech/live: cluster fleet",
        "+ workspace_namespace fleet/images: tenant_id vision, workspace training",
        "+ gpu_allocation vision/training/X1: cards 4",
        "+ node_record fleet/gpu-01: target KUBERNETES, tenant_id vision",
    ]


async def test_the_same_again_changes_nothing_however_it_is_written(load, session):
    await load(START)
    before = await contents(session)
    assert await load(START.replace('"2.50"', "2.500").replace("T00:00:00Z", "T01:00:00+01:00")) == []
    assert await contents(session) == before


async def test_a_dry_run_tells_the_same_and_writes_nothing(load, session):
    told = await load(START, dry_run=True)
    assert all(rows == [] for rows in (await contents(session)).values())
    assert await load(START) == told


async def test_a_dry_run_waits_for_nobody_and_an_import_says_that_somebody_is_at_work(load, session):
    async with session.transaction():
        await session.execute("INSERT INTO tenant VALUES ('robotics')")
        assert "+ tenant vision" in await load(START, dry_run=True)
        with pytest.raises(Conflict, match="somebody else is changing the records: try again"):
            await load(START)


async def test_a_change_tells_what_was_and_what_will_be_and_only_that(load):
    await load(START)
    assert await load(START.replace("{X1: 4}", "{X1: 6}").replace("KUBERNETES", "SLURM, cards: 8")) == [
        "~ gpu_allocation vision/training/X1: cards 4 -> 6",
        "~ node_record fleet/gpu-01: target KUBERNETES -> SLURM, claimed_cards nothing -> 8",
    ]


async def test_what_the_file_does_not_name_stays_unless_it_is_to_be_pruned(load, session):
    await load(START)
    less = (
        START.replace(", namespaces: [images]", "")
        .replace(", allocations: {X1: 4}", "")
        .partition("  - name: speech")[0]
    )
    before = await contents(session)
    assert await load(less) == []
    assert await contents(session) == before

    removals = [
        "- gpu_allocation vision/training/X1: cards 4",
        "- workspace_namespace fleet/images: tenant_id vision, workspace training",
        "- workspace speech/live: cluster fleet",
        "- tenant speech",
    ]
    assert await load(less, prune=True, dry_run=True) == removals
    assert await contents(session) == before
    assert await load(less, prune=True) == removals
    assert await load(less, prune=True) == []


async def test_a_namespace_and_a_node_move_between_owners(load):
    await load(START)
    moved = """
tenants:
  - name: speech
    nodes:
      - {name: gpu-01, target: KUBERNETES}
    workspaces:
      - {name: live, namespaces: [images]}
"""
    assert await load(moved) == [
        "~ workspace_namespace fleet/images: tenant_id vision -> speech, workspace training -> live",
        "~ node_record fleet/gpu-01: tenant_id vision -> speech",
    ]
    assert "- tenant vision" in await load(moved, prune=True)


async def test_a_workspace_takes_its_namespaces_along_to_another_cluster(load, session):
    await load(START)
    elsewhere = START.replace("{name: training,", "{name: training, cluster: east,")
    assert "~ workspace vision/training: cluster fleet -> east" in await load(elsewhere)
    assert await load(elsewhere) == []
    held = await session.fetch("SELECT cluster, namespace FROM workspace_namespace")
    assert [tuple(row) for row in held] == [("east", "images")]


async def test_a_change_that_the_tables_refuse_is_named_and_nothing_of_the_import_stays(load, session):
    await load(START)
    await session.execute("INSERT INTO workspace VALUES ('speech', 'batch', 'east')")
    await session.execute("INSERT INTO workspace_namespace VALUES ('east', 'images', 'speech', 'batch')")
    clash = START.replace("{name: training,", "{name: training, cluster: east,").replace(
        "namespaces: [images], ", ""
    )
    with pytest.raises(
        Conflict, match="cannot be written: ~ workspace vision/training: cluster fleet -> east"
    ):
        await load(clash + "nodes:\n  - {name: gpu-02, target: SLURM}\n")
    assert await session.fetchval("SELECT count(*) FROM node_record") == 1


async def test_generations_are_the_databases_own(load, session):
    await load(START)
    await load(START.replace("{X1: 4}", "{X1: 6}"))
    assert await session.fetchval("SELECT generation FROM gpu_allocation") == 2


async def test_missing_tables_say_what_to_run(postgres_dsn, tmp_path):
    file = tmp_path / "platform.yaml"
    file.write_text(START)
    with pytest.raises(SourceMisread, match="run `gpu-gateway migrate`"):
        await import_platform(postgres_dsn, read_platform_file(file))


async def test_another_column_than_those_of_the_file_is_left_alone(load, migrated):
    await load(START)
    async with open_session(migrated) as session:
        await session.execute("ALTER TABLE node_record ADD COLUMN rack text DEFAULT 'none'")
        await session.execute("UPDATE node_record SET rack = 'r12'")
        await load(START.replace("KUBERNETES", "SLURM"))
        assert await session.fetchval("SELECT rack FROM node_record") == "r12"


async def test_a_node_in_change_keeps_its_target_and_its_record_and_the_import_says_so(load, migrated):
    await load(START)
    async with open_session(migrated) as session:
        await session.execute(
            "UPDATE node_record SET observed_phase = 'DRAINING', observed_generation = 1,"
            " observed_layout_converged = 0, observed_message = ''"
        )
        for text, how in ((START.replace("KUBERNETES", "SLURM"), {}), ("tenants: []", {"prune": True})):
            with pytest.raises(Conflict, match=r"node_record fleet/gpu-01.*\nfleet/gpu-01 is in change"):
                await load(text, **how)
        assert await session.fetchval("SELECT target FROM node_record") == "KUBERNETES"


async def test_what_was_asked_and_seen_of_a_node_is_not_imported_over(load, migrated):
    await load(START)
    async with open_session(migrated) as session:
        await session.execute(
            "UPDATE node_record SET desired_cordoned = true, health_healthy = true, health_reasons = '[]',"
            " health_checked_at = now()"
        )
        await load(START.replace("KUBERNETES", "SLURM"))
        row = await session.fetchrow("SELECT target, desired_cordoned, health_healthy FROM node_record")
    assert tuple(row) == ("SLURM", True, True)


async def test_history_tells_that_it_was_an_import(load, migrated):
    await load(START)
    await load(START.replace("KUBERNETES", "SLURM"))
    async with open_session(migrated) as session:
        row = await session.fetchrow("SELECT writer, actor, field FROM field_change ORDER BY id DESC LIMIT 1")
    assert tuple(row) == (API, "gpu-gateway import", "target")
