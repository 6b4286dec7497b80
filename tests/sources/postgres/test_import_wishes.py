"""What a file asks of nodes, imported as the API's role into a real database."""

from dataclasses import replace

import pytest

from gateway.fleet.change import SetMigLayout
from gateway.sources.postgres.platform_file import read_platform_file
from gateway.sources.postgres.write import import_platform
from tests.sources.postgres.as_writer import API, dsn_of
from tests.sources.postgres.running import open_session

ONE = "nodes:\n  - {{name: gpu-01, target: KUBERNETES{}}}\n".format
PLAIN = ONE("")
CORDON = ONE(", desired: {cordoned: true, cordonReason: fan}")
SEVENTHS = ONE(", desired: {migLayout: {config: all-1g.10gb}}")
HALVES = ONE(", desired: {migLayout: {config: all-3g.40gb}}")


@pytest.fixture
async def load(migrated, tmp_path):
    """Import a file whose layouts are for this machine; the lines that tell what it changes."""

    async def load_text(text, uid="uid-1", **how):
        path = tmp_path / "platform.yaml"
        path.write_text(text)
        file = read_platform_file(path)
        wishes = [replace(one, node_uid=uid) if isinstance(one, SetMigLayout) else one for one in file.wishes]
        changes = await import_platform(dsn_of(API, migrated), replace(file, wishes=tuple(wishes)), **how)
        return [str(change) for change in changes]

    return load_text


@pytest.fixture
async def admin(migrated):
    """Whoever may do everything."""
    async with open_session(migrated) as session:
        yield session


async def record(session):
    row = await session.fetchrow(
        "SELECT desired_generation, layout_generation, desired_layout, desired_uid, desired_acknowledged,"
        " desired_changed_by FROM node_record"
    )
    return tuple(row)


async def test_a_new_node_is_asked_at_once_and_a_dry_run_tells_the_same(load, admin):
    told = await load(CORDON, dry_run=True)

    assert await load(CORDON) == told
    assert told == [
        "+ node_record fleet/gpu-01: target KUBERNETES",
        "~ node_record fleet/gpu-01: desired.cordoned false -> true, desired.cordonReason nothing -> fan",
    ]
    held = await admin.fetchrow("SELECT desired_cordoned, desired_cordon_reason FROM node_record")
    assert tuple(held) == (True, "fan")


async def test_a_layout_is_for_the_machine_counts_a_generation_and_acknowledges_nothing(load, admin):
    await load(SEVENTHS)

    assert await record(admin) == (
        1,
        1,
        '{"cards": null, "config": "all-1g.10gb"}',
        "uid-1",
        [],
        "gpu-gateway import",
    )


async def test_the_same_again_keeps_what_was_acknowledged_for_it_and_is_no_other_try(load, admin):
    await load(SEVENTHS)
    await admin.execute("UPDATE node_record SET desired_acknowledged = '{pod-1}'")
    await admin.execute(
        "UPDATE node_record SET observed_phase = 'FAILED', observed_generation = desired_generation,"
        " observed_layout_converged = 0, observed_message = ''"
    )
    before = await record(admin)

    assert await load(SEVENTHS) == []
    assert await record(admin) == before


async def test_another_layout_takes_back_what_was_acknowledged_for_the_last(load, admin):
    await load(SEVENTHS)
    await admin.execute("UPDATE node_record SET desired_acknowledged = '{pod-1}'")

    (told,) = await load(HALVES)

    assert told.endswith(', desired.acknowledgedWorkloads ["pod-1"] -> []')
    assert (await record(admin))[4] == []


async def test_a_machine_made_anew_under_the_name_is_asked_again(load):
    await load(SEVENTHS)

    assert await load(SEVENTHS, uid="uid-2") == ["~ node_record fleet/gpu-01: desired.nodeUid uid-1 -> uid-2"]


async def test_a_file_that_asks_for_nothing_withdraws_nothing(load, admin):
    await load(SEVENTHS)
    before = await record(admin)

    assert await load(PLAIN) == []
    assert await record(admin) == before


async def test_what_is_asked_is_judged_by_the_target_of_the_file(load):
    await load(PLAIN.replace("KUBERNETES", "SLURM"))

    assert (
        await load(CORDON, dry_run=True)
        == await load(CORDON)
        == [
            "~ node_record fleet/gpu-01: target SLURM -> KUBERNETES",
            "~ node_record fleet/gpu-01: desired.cordoned false -> true, desired.cordonReason nothing -> fan",
        ]
    )


async def test_history_tells_that_a_file_asked(load, admin):
    await load(CORDON)

    rows = await admin.fetch(
        "SELECT field, writer, actor FROM field_change WHERE field LIKE 'desired%' ORDER BY id"
    )
    assert [tuple(row) for row in rows] == [
        ("desired_cordon_reason", API, "gpu-gateway import"),
        ("desired_cordoned", API, "gpu-gateway import"),
    ]
