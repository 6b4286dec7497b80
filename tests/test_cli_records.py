import asyncio

import asyncpg
import pytest

from gateway.cli import main
from tests.command_line import Ended

ONE = "tenants:\n  - name: vision\n    nodes: [{name: gpu-01, target: KUBERNETES}]\n"
TWO = ONE + "  - name: speech\n"


@pytest.fixture
def platform(tmp_path):
    file = tmp_path / "platform.yaml"
    file.write_text(TWO)
    return file


def run(capsys, *arguments, **environ):
    status = main([str(argument) for argument in arguments], environ)
    return Ended(status, *capsys.readouterr())


async def tenants(dsn):
    connection = await asyncpg.connect(dsn)
    try:
        rows = await connection.fetch("SELECT id FROM gateway.tenant ORDER BY id")
    finally:
        await connection.close()
    return [row["id"] for row in rows]


def test_migrates_and_imports_and_the_second_time_there_is_nothing_to_do(postgres_dsn, platform, capsys):
    database = {"GPU_GATEWAY_POSTGRES_DSN": postgres_dsn}

    migrated = run(capsys, "migrate", **database)
    again = run(capsys, "migrate", **database)
    tried = run(capsys, "import", platform, "--dry-run", **database)
    untouched = asyncio.run(tenants(postgres_dsn))
    imported = run(capsys, "import", platform, **database)
    same = run(capsys, "import", platform, **database)

    assert migrated.status == 0
    assert migrated.out.startswith("applied ")
    assert again.out == "nothing to do: the tables are up to date\n"
    assert "+ tenant vision" in tried.out
    assert tried.err == "3 added (dry run: nothing is written)\n"
    assert untouched == []
    assert (imported.status, imported.out, imported.err) == (0, tried.out, "3 added\n")
    assert asyncio.run(tenants(postgres_dsn)) == ["speech", "vision"]
    assert (same.status, same.out, same.err) == (0, "", "the records say this already\n")

    platform.write_text(ONE)
    kept = run(capsys, "import", platform, **database)
    pruned = run(capsys, "import", platform, "--prune", **database)
    assert kept.err == "the records say this already\n"
    assert (pruned.out.splitlines()[0][:15], pruned.err) == ("- tenant speech", "1 removed\n")
    assert asyncio.run(tenants(postgres_dsn)) == ["vision"]


def test_a_layout_without_its_machine_is_left_out_by_name_and_the_rest_is_imported(
    postgres_dsn, platform, capsys
):
    database = {"GPU_GATEWAY_POSTGRES_DSN": postgres_dsn}
    desired = "desired: {cordoned: true, migLayout: {config: all-1g.10gb}}"
    platform.write_text(ONE.replace("KUBERNETES", f"KUBERNETES, {desired}"))
    run(capsys, "migrate", **database)

    ended = run(capsys, "import", platform, **database)

    assert (ended.status, ended.out.splitlines()[-1]) == (
        0,
        "~ node_record fleet/gpu-01: desired.cordoned false -> true",
    )
    assert ended.err.splitlines()[0] == (
        "node fleet/gpu-01: its layout is left out, which is for one machine:"
        " cluster fleet is not in the settings"
    )


def test_a_mistake_in_the_file_is_a_line_with_its_place(postgres_dsn, platform, capsys):
    platform.write_text(TWO.replace("KUBERNETES", "KUBERNETIS"))

    ended = run(capsys, "import", platform, GPU_GATEWAY_POSTGRES_DSN=postgres_dsn)

    assert ended.status == 2
    assert ended.err.startswith(f"gpu-gateway import: {platform}:3")
    assert "Traceback" not in ended.err


def test_a_database_without_tables_is_told_with_the_fix(postgres_dsn, platform, capsys):
    ended = run(capsys, "import", platform, GPU_GATEWAY_POSTGRES_DSN=postgres_dsn)

    assert ended.status == 1
    assert "gpu-gateway migrate" in ended.err


def test_a_database_that_does_not_answer_is_no_mistake_of_the_user(capsys):
    ended = run(capsys, "migrate", GPU_GATEWAY_POSTGRES_DSN="postgresql://postgres@127.0.0.1:1/x")

    assert ended.status == 1
    assert ended.err.startswith("gpu-gateway migrate: ")
    assert "Traceback" not in ended.err


def test_says_which_setting_names_the_database(tmp_path, capsys):
    file = tmp_path / "gateway.toml"
    file.write_text('[[clusters]]\nname = "a"\nin_cluster = true\n')

    ended = run(capsys, "migrate", GPU_GATEWAY_CONFIG=str(file))

    assert ended.status == 2
    assert "postgres.dsn_file" in ended.err
