from contextlib import asynccontextmanager

import asyncpg
import pytest

from gateway.errors import Invalid
from gateway.fleet.history import Writer
from gateway.sources.postgres.migrate import migrate
from gateway.sources.postgres.probe import probe
from gateway.sources.postgres.roles import ROLES
from tests.sources.postgres.as_writer import API, dsn_of
from tests.sources.postgres.passwords import ask_for_a_password
from tests.sources.trials import outcomes, told

READER = "probe_reader"
WRITERS = (Writer.API, Writer.RECORDER)


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


@pytest.mark.parametrize("writer", ROLES)
async def test_each_writer_may_do_what_is_its_own_and_nothing_else(postgres_dsn, writer):
    await migrate(postgres_dsn)

    trials = await told(probe(dsn_of(ROLES[writer], postgres_dsn), [writer]))

    assert outcomes(trials) == dict.fromkeys(["reach", "encryption", "tables", "rights", "LISTEN"], "ok")
    assert trials["reach"].said.startswith("PostgreSQL ")
    assert trials["rights"].said == f"{ROLES[writer]} may write what is its own, and nothing else"


async def test_who_may_write_everything_is_a_warning_with_whom_to_log_in_as(postgres_dsn):
    await migrate(postgres_dsn)

    rights = (await told(probe(postgres_dsn, WRITERS)))["rights"]

    assert rights.outcome.value == "warning"
    assert rights.said.startswith("postgres may write more than is its own: ")
    assert "node_record" in rights.said
    assert rights.fix.startswith("log in as gateway_api and gateway_recorder: ")


async def test_a_writer_that_is_to_do_anothers_work_is_told_to_log_in_as_both(postgres_dsn):
    await migrate(postgres_dsn)

    rights = (await told(probe(dsn_of(API, postgres_dsn), WRITERS)))["rights"]

    assert rights.outcome.value == "FAILED"
    assert rights.said.startswith(
        "gateway_api may not do all that gateway_api and gateway_recorder may on alert"
    )
    assert rights.fix == "log in as gateway_api and gateway_recorder, each by its own DSN"


async def test_the_migrations_that_are_missing_are_named(postgres_dsn):
    trials = await told(probe(postgres_dsn, WRITERS))

    assert outcomes(trials) == {"reach": "ok", "encryption": "ok", "tables": "FAILED", "LISTEN": "ok"}
    assert trials["tables"].said.startswith("not migrated: it lacks 0001_platform_records, 0002_")
    assert trials["tables"].fix == "run `gpu-gateway migrate` on this database"


async def test_a_database_of_a_newer_release_is_told(postgres_dsn):
    await migrate(postgres_dsn)
    await execute(postgres_dsn, "INSERT INTO gateway.migration VALUES ('9999_later', 'x')")

    trial = (await told(probe(postgres_dsn, WRITERS)))["tables"]

    assert trial.outcome.value == "FAILED"
    assert "it has 9999_later" in trial.said


async def test_rights_are_asked_for_one_after_another_until_all_are_there(postgres_dsn, reader_dsn):
    await migrate(postgres_dsn)

    unusable = (await told(probe(reader_dsn, WRITERS)))["tables"]
    assert unusable.fix == f"GRANT USAGE ON SCHEMA gateway TO {READER}"
    await execute(postgres_dsn, unusable.fix)

    unreadable = (await told(probe(reader_dsn, WRITERS)))["tables"]
    assert unreadable.fix == f"GRANT SELECT ON gateway.migration TO {READER}"
    await execute(postgres_dsn, unreadable.fix)

    lacking = (await told(probe(reader_dsn, WRITERS)))["rights"]
    assert "probe_reader may not do all that gateway_api and gateway_recorder may on alert, " in lacking.said
    await execute(postgres_dsn, *lacking.fix.split("; "))

    assert set(outcomes(await told(probe(reader_dsn, WRITERS))).values()) == {"ok"}


async def test_a_wrong_password_is_told_with_its_fix_and_without_the_password(postgres_dsn, reader_dsn):
    async with session(postgres_dsn) as connection:
        await ask_for_a_password(connection, READER)

    trials = await told(probe(reader_dsn.replace("secret", "guessed"), WRITERS))

    assert outcomes(trials) == {"reach": "FAILED"}
    assert "password authentication failed" in trials["reach"].said
    assert "guessed" not in trials["reach"].said
    assert trials["reach"].fix == "give credentials that are good and may read this"


async def test_no_server_is_told(unused_tcp_port):
    trials = await told(probe(f"postgresql://nobody@127.0.0.1:{unused_tcp_port}/x", WRITERS))

    assert outcomes(trials) == {"reach": "FAILED"}


async def test_a_dsn_that_makes_no_sense_is_a_mistake_in_the_settings():
    with pytest.raises(Invalid, match="names no host"):
        await told(probe("postgresql:///", WRITERS))
