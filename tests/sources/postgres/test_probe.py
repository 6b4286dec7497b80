from contextlib import asynccontextmanager

import asyncpg
import pytest

from gateway.errors import Invalid
from gateway.sources.postgres.migrate import migrate
from gateway.sources.postgres.probe import probe
from tests.sources.postgres.passwords import ask_for_a_password
from tests.sources.trials import outcomes, told

READER = "probe_reader"


@asynccontextmanager
async def session(dsn):
    connection = await asyncpg.connect(dsn)
    try:
        yield connection
    finally:
        await connection.close()


async def execute(dsn, *statements):
    async with session(dsn) as connection:
        for statement in statements:
            await connection.execute(statement)


@pytest.fixture
async def reader_dsn(postgres_dsn):
    """The same database by a role that may do nothing yet."""
    await execute(postgres_dsn, f"CREATE ROLE {READER} LOGIN PASSWORD 'secret'")
    yield postgres_dsn.replace("postgres@", f"{READER}:secret@")
    await execute(postgres_dsn, f"DROP OWNED BY {READER}", f"DROP ROLE {READER}")


async def test_a_database_that_is_migrated_and_open_is_fine(postgres_dsn):
    await migrate(postgres_dsn)

    trials = await told(probe(postgres_dsn))

    assert outcomes(trials) == dict.fromkeys(["reach", "encryption", "tables", "rights", "LISTEN"], "ok")
    assert trials["reach"].said.startswith("PostgreSQL ")


async def test_the_migrations_that_are_missing_are_named(postgres_dsn):
    trials = await told(probe(postgres_dsn))

    assert outcomes(trials) == {"reach": "ok", "encryption": "ok", "tables": "FAILED", "LISTEN": "ok"}
    assert trials["tables"].said.startswith("not migrated: it lacks 0001_platform_records, 0002_")
    assert trials["tables"].fix == "run `gpu-gateway migrate` on this database"


async def test_a_database_of_a_newer_release_is_told(postgres_dsn):
    await migrate(postgres_dsn)
    await execute(postgres_dsn, "INSERT INTO gateway.migration VALUES ('9999_later', 'x')")

    trial = (await told(probe(postgres_dsn)))["tables"]

    assert trial.outcome.value == "FAILED"
    assert "it has 9999_later" in trial.said


async def test_rights_are_asked_for_one_after_another_until_all_are_there(postgres_dsn, reader_dsn):
    await migrate(postgres_dsn)

    unusable = (await told(probe(reader_dsn)))["tables"]
    assert unusable.fix == f"GRANT USAGE ON SCHEMA gateway TO {READER}"
    await execute(postgres_dsn, unusable.fix)

    unreadable = (await told(probe(reader_dsn)))["tables"]
    assert unreadable.fix == f"GRANT SELECT ON gateway.migration TO {READER}"
    await execute(postgres_dsn, unreadable.fix)

    lacking = (await told(probe(reader_dsn)))["rights"]
    assert "not allowed on alert, gpu_allocation" in lacking.said
    await execute(postgres_dsn, *lacking.fix.split("; "))

    assert set(outcomes(await told(probe(reader_dsn))).values()) == {"ok"}


async def test_a_wrong_password_is_told_with_its_fix_and_without_the_password(postgres_dsn, reader_dsn):
    async with session(postgres_dsn) as connection:
        await ask_for_a_password(connection, READER)

    trials = await told(probe(reader_dsn.replace("secret", "guessed")))

    assert outcomes(trials) == {"reach": "FAILED"}
    assert "password authentication failed" in trials["reach"].said
    assert "guessed" not in trials["reach"].said
    assert trials["reach"].fix == "give credentials that are good and may read this"


async def test_no_server_is_told(unused_tcp_port):
    trials = await told(probe(f"postgresql://nobody@127.0.0.1:{unused_tcp_port}/x"))

    assert outcomes(trials) == {"reach": "FAILED"}


async def test_a_dsn_that_makes_no_sense_is_a_mistake_in_the_settings():
    with pytest.raises(Invalid, match="names no host"):
        await told(probe("postgresql:///"))
