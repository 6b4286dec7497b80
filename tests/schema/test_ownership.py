"""@ownedBy and the database say the same: who may write what is behind a field."""

import asyncpg
import pytest
from graphql import GraphQLObjectType, get_named_type

from gateway.fleet.history import Writer
from gateway.sources.postgres.migrate import migrate
from gateway.sources.postgres.roles import ROLES
from schema.provenance import OwnedBy, Source
from tests.schema.graph import fields_of_objects

_BY_TRIGGER = {
    "desired_generation",
    "desired_changed_at",
    "desired_changed_by",
    "observed_changed_at",
}
"""Nobody writes these: the database does, whenever their owner changes something."""
_MAY = "SELECT has_column_privilege($1, 'gateway.node_record', $2, 'UPDATE')"


def owners(field):
    return [one.writer for one in directives(field) if isinstance(one, OwnedBy)]


def directives(field):
    return field.extensions["strawberry-definition"].directives


def columns(field):
    """The columns of node_record that a field is read from, and those of all that it is made of."""
    for one in directives(field):
        if isinstance(one, Source) and one.path.startswith("node_record."):
            yield one.path.removeprefix("node_record.")
    kind = get_named_type(field.type)
    if isinstance(kind, GraphQLObjectType):
        for part in kind.fields.values():
            if not part.extensions["strawberry-definition"].base_resolver:
                yield from columns(part)


OWNED = {path: (owners(field), set(columns(field))) for path, field in fields_of_objects() if owners(field)}


@pytest.fixture
async def migrated(postgres_dsn):
    """A session with a new database, as whoever migrated it."""
    await migrate(postgres_dsn)
    connection = await asyncpg.connect(postgres_dsn, timeout=10, command_timeout=30)
    yield connection
    await connection.close(timeout=5)


def test_each_part_of_a_node_that_is_written_has_one_owner():
    assert {path: writers for path, (writers, _) in OWNED.items()} == {
        "Node.desired": [Writer.API],
        "Node.observed": [Writer.RECONCILER],
        "Node.reportedHealth": [Writer.HEALTH_MONITOR],
    }


async def test_only_the_owner_of_a_field_may_write_its_columns(migrated):
    for path, ((owner,), behind) in OWNED.items():
        assert len(behind) > 2, path
        for column in behind - _BY_TRIGGER:
            may = {writer for writer, role in ROLES.items() if await migrated.fetchval(_MAY, role, column)}

            assert may == {owner}, f"{path}: {column}"


async def test_what_the_database_writes_itself_nobody_else_may(migrated):
    for column in _BY_TRIGGER:
        may = [role for role in ROLES.values() if await migrated.fetchval(_MAY, role, column)]

        assert may == [], column


async def test_every_column_that_a_writer_may_write_is_behind_a_field_of_its_own_or_is_private(migrated):
    written = {
        row["column"]
        for row in await migrated.fetch(
            """SELECT attname AS column FROM pg_attribute, unnest($1::text[]) AS role
                WHERE attrelid = 'gateway.node_record'::regclass AND attnum > 0 AND NOT attisdropped
                  AND has_column_privilege(role, attrelid, attnum, 'UPDATE')""",
            list(ROLES.values()),
        )
    }
    shown = set().union(*(behind for _, behind in OWNED.values()))

    assert written - shown == {
        "target",
        "tenant_id",
        "claimed_cards",
        "claimed_gpu_type",
        "desired_uid",
        "desired_acknowledged",
        "desired_retried",
        "observed_layout_converged",
        "observed_progress",
    }
