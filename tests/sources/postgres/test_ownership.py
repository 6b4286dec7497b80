"""Which role may write which column: written down here, and tried on a real database column by column."""

import asyncpg
import pytest

from tests.sources.postgres.as_writer import API, HEALTH, RECONCILER, RECORDER, session_of

INSERT = {
    API: {
        "gpu_type": "name memory_mib products slurm_types",
        "gpu_price": "gpu_type effective_from amount currency",
        "tenant": "id display_name",
        "workspace": "tenant_id name cluster queue",
        "workspace_namespace": "cluster namespace tenant_id workspace",
        "gpu_allocation": "tenant_id workspace gpu_type cards",
        "node_record": "cluster name target tenant_id claimed_cards claimed_gpu_type",
        "controller": "name paused_by paused_reason",
        "answered": "actor mutation key fingerprint",
    },
    RECONCILER: {"controller": "name holder max_in_change"},
    HEALTH: {},
    RECORDER: {
        "alert": "id finding first_seen last_seen",
        "pending_reason": "cluster subject said namespace pod_name controller code message scheduler"
        " total_nodes parts first_seen last_seen",
        "reason_event": "cluster subject said event count",
    },
}
UPDATE = {
    API: {
        "gpu_type": "memory_mib products slurm_types",
        "gpu_price": "amount currency",
        "tenant": "display_name",
        "workspace": "cluster queue",
        "workspace_namespace": "tenant_id workspace",
        "gpu_allocation": "cards",
        "node_record": "target tenant_id claimed_cards claimed_gpu_type desired_cordoned"
        " desired_cordon_reason desired_layout desired_uid desired_acknowledged desired_retried",
        "controller": "paused_by paused_reason",
        "answered": "result",
    },
    RECONCILER: {
        "node_record": "observed_phase observed_generation observed_layout_converged observed_message"
        " observed_blockers observed_progress",
        "controller": "holder max_in_change",
    },
    HEALTH: {"node_record": "health_healthy health_reasons health_checked_at"},
    RECORDER: {
        "alert": "finding first_seen last_seen resolved_at",
        "pending_reason": "pod_name controller code message scheduler total_nodes parts first_seen last_seen"
        " resolved_at",
        "reason_event": "count",
    },
}
DELETE = {
    API: "gpu_type gpu_price tenant workspace workspace_namespace gpu_allocation node_record answered",
    RECONCILER: "",
    HEALTH: "",
    RECORDER: "alert pending_reason reason_event",
}
ROLES = (API, RECONCILER, HEALTH, RECORDER)


def columns(owned):
    return {(table, column) for table, names in owned.items() for column in names.split()}


async def all_columns(session):
    rows = await session.fetch(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'gateway'"
    )
    return {tuple(row) for row in rows}


async def allowed(session, statement):
    """Whether PostgreSQL lets this role run a statement that touches no row."""
    try:
        await session.execute(statement)
    except asyncpg.InsufficientPrivilegeError:
        return False
    return True


@pytest.mark.parametrize("role", ROLES)
async def test_a_role_updates_its_own_columns_and_is_refused_every_other(migrated, session, role):
    async with session_of(role, migrated) as writer:
        tried = {
            (table, column): await allowed(writer, f"UPDATE {table} SET {column} = DEFAULT WHERE false")  # noqa: S608 - our tables
            for table, column in await all_columns(session)
        }
    assert {place for place, may in tried.items() if may} == columns(UPDATE[role])


@pytest.mark.parametrize("role", ROLES)
async def test_a_role_inserts_its_own_columns_and_is_refused_every_other(migrated, session, role):
    async with session_of(role, migrated) as writer:
        tried = {
            (table, column): await allowed(
                writer,
                f"INSERT INTO {table} ({column}) OVERRIDING SYSTEM VALUE SELECT NULL WHERE false",
            )
            for table, column in await all_columns(session)
        }
    assert {place for place, may in tried.items() if may} == columns(INSERT[role])


@pytest.mark.parametrize("role", ROLES)
async def test_a_role_deletes_only_where_it_keeps_the_rows_and_truncates_nothing(migrated, session, role):
    tables = {table for table, _ in await all_columns(session)}
    async with session_of(role, migrated) as writer:
        deletes = {
            table
            for table in tables
            if await allowed(writer, f"DELETE FROM {table} WHERE false")  # noqa: S608 - our tables
        }
        truncates = {table for table in tables if await allowed(writer, f"TRUNCATE {table} CASCADE")}
    assert deletes == set(DELETE[role].split())
    assert truncates == set()


@pytest.mark.parametrize("role", ROLES)
async def test_what_a_role_may_is_the_same_by_the_servers_own_account_memberships_included(session, role):
    rows = await session.fetch(
        """
        SELECT table_name, column_name, privilege
          FROM information_schema.columns, unnest('{INSERT,UPDATE,REFERENCES}'::text[]) AS privilege
         WHERE table_schema = 'gateway'
           AND has_column_privilege($1, format('gateway.%I', table_name), column_name, privilege)
        """,
        role,
    )
    held = {(row["privilege"], row["table_name"], row["column_name"]) for row in rows}
    assert held == {
        *(("INSERT", *place) for place in columns(INSERT[role])),
        *(("UPDATE", *place) for place in columns(UPDATE[role])),
    }


async def test_no_role_has_a_right_on_a_whole_table_that_would_cover_columns_of_others(session):
    broad = await session.fetch(
        """
        SELECT rolname, relname, privilege
          FROM pg_roles, pg_class,
               unnest('{INSERT,UPDATE,TRUNCATE,REFERENCES,TRIGGER,MAINTAIN}'::text[]) AS privilege
         WHERE rolname = ANY ($1) AND relnamespace = 'gateway'::regnamespace AND relkind = 'r'
           AND has_table_privilege(rolname, pg_class.oid, privilege)
        """,
        ROLES,
    )
    assert broad == []


async def test_the_roles_are_members_of_nothing_and_may_do_nothing_on_the_server(session):
    members = await session.fetch(
        "SELECT 1 FROM pg_auth_members JOIN pg_roles ON pg_roles.oid = member WHERE rolname = ANY ($1)",
        ROLES,
    )
    mighty = await session.fetch(
        "SELECT 1 FROM pg_roles WHERE rolname = ANY ($1)"
        " AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication)",
        ROLES,
    )
    assert (members, mighty) == ([], [])


async def test_nothing_changes_a_node_record_on_the_side(session):
    """No view that runs as its owner, and no key that empties or takes away a node's columns."""
    views = await session.fetch("SELECT 1 FROM pg_views WHERE schemaname = 'gateway'")
    keys = await session.fetch(
        "SELECT conname FROM pg_constraint WHERE contype = 'f' AND conrelid = 'node_record'::regclass"
        " AND (confdeltype NOT IN ('r', 'a') OR confupdtype NOT IN ('r', 'a'))"
    )
    assert (views, keys) == ([], [])
