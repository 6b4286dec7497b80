"""The last card is given once, however many ask for it at the same time and however they write."""

import asyncio

import asyncpg
import pytest

from gateway.sources.postgres.sqlstates import NO_CARDS_LEFT
from tests.sources.postgres.as_writer import API, a_session_waits, execute, session_of
from tests.sources.postgres.running import open_session

SPACES = """
INSERT INTO tenant (id) VALUES ('vision'), ('speech');
INSERT INTO workspace (tenant_id, name, cluster)
SELECT tenant, 'w' || number, 'fleet'
  FROM unnest('{vision,speech}'::text[]) AS tenant, generate_series(0, 8) AS number
"""
GIVE = """
INSERT INTO gpu_allocation (tenant_id, workspace, gpu_type, cards) VALUES ($1, $2, 'A100', $3)
ON CONFLICT (tenant_id, workspace, gpu_type) DO UPDATE SET cards = excluded.cards
"""
ISOLATION = ["read_committed", "repeatable_read", "serializable"]
SERIALIZATION_FAILURE = "40001"


@pytest.fixture
async def dsn(migrated):
    """Nine workspaces of each of two tenants on one cluster."""
    await execute(migrated, SPACES)
    return migrated


async def give(dsn, space, cards, healthy=None, isolation="read_committed"):
    """Give cards as the API does; the SQLSTATE where that is refused."""
    async with session_of(API, dsn) as api:
        try:
            async with api.transaction(isolation=isolation):
                if healthy is not None:
                    await api.fetchval("SELECT set_config('gateway.healthy_seen', $1, true)", str(healthy))
                await api.execute(GIVE, *space.split("/"), cards)
        except asyncpg.PostgresError as error:
            return error.sqlstate
    return None


async def pool(dsn):
    """What each tenant has given away, by cluster."""
    async with open_session(dsn) as owner:
        held = await owner.fetch("SELECT tenant_id, cluster, allocated FROM gpu_pool ORDER BY 1, 2")
        given = await owner.fetch(
            "SELECT tenant_id, cluster, sum(cards) AS allocated FROM gpu_allocation AS given"
            " JOIN workspace USING (tenant_id) WHERE workspace.name = given.workspace GROUP BY 1, 2"
        )
    counts = {(row["tenant_id"], row["cluster"]): row["allocated"] for row in held}
    assert {key: count for key, count in counts.items() if count} == {
        (row["tenant_id"], row["cluster"]): row["allocated"] for row in given if row["allocated"]
    }
    return counts


@pytest.mark.parametrize("isolation", ISOLATION)
async def test_of_eight_that_ask_for_the_last_card_at_once_one_gets_it(dsn, isolation):
    assert await give(dsn, "vision/w0", 7, 8) is None
    asking = (give(dsn, f"vision/w{number}", 1, 8, isolation) for number in range(1, 9))
    answers = await asyncio.gather(*asking)
    assert answers.count(None) == 1
    assert set(answers) - {None} <= {NO_CARDS_LEFT, SERIALIZATION_FAILURE}
    assert await pool(dsn) == {("vision", "fleet"): 8}


@pytest.mark.parametrize("isolation", ISOLATION)
async def test_eight_that_ask_for_the_first_card_at_once_get_as_many_as_there_are(dsn, isolation):
    async def until_told(space):
        while (told := await give(dsn, space, 1, 5, isolation)) == SERIALIZATION_FAILURE:
            pass
        return told

    answers = await asyncio.gather(*(until_told(f"vision/w{number}") for number in range(1, 9)))
    assert (answers.count(None), answers.count(NO_CARDS_LEFT)) == (5, 3)
    assert await pool(dsn) == {("vision", "fleet"): 5}


async def test_an_upsert_counts_once_and_each_tenant_for_itself(dsn):
    for _ in range(3):
        assert await give(dsn, "vision/w1", 5, 8) is None
    assert await give(dsn, "speech/w1", 3, 8) is None
    assert await pool(dsn) == {("speech", "fleet"): 3, ("vision", "fleet"): 5}


async def test_more_than_is_healthy_may_be_imported_and_then_only_given_back(dsn):
    assert await give(dsn, "vision/w1", 20) is None
    assert await give(dsn, "vision/w2", 1, 8) == NO_CARDS_LEFT
    assert await give(dsn, "vision/w1", 15, 8) is None
    assert await give(dsn, "vision/w1", 16, 8) == NO_CARDS_LEFT
    assert await give(dsn, "vision/w1", 15, 0) is None
    await execute(dsn, "DELETE FROM gpu_allocation", role=API)
    assert await pool(dsn) == {("vision", "fleet"): 0}
    assert await give(dsn, "vision/w2", 8, 8) is None


async def test_what_was_refused_is_not_counted(dsn):
    assert await give(dsn, "vision/w1", 9, 8) == NO_CARDS_LEFT
    assert await give(dsn, "vision/w1", 8, 8) is None
    assert await pool(dsn) == {("vision", "fleet"): 8}


async def test_a_workspace_takes_its_cards_along_to_another_cluster(dsn):
    await give(dsn, "vision/w1", 5)
    await give(dsn, "vision/w2", 2)
    await execute(dsn, "UPDATE workspace SET cluster = 'east' WHERE name = 'w1'", role=API)
    assert await pool(dsn) == {("vision", "east"): 5, ("vision", "fleet"): 2}


async def test_cards_given_while_their_workspace_moves_are_counted_where_it_ends_up(dsn):
    await give(dsn, "vision/w1", 5)
    async with session_of(API, dsn) as mover, mover.transaction():
        await mover.execute("UPDATE workspace SET cluster = 'east' WHERE name = 'w1'")
        giving = asyncio.create_task(give(dsn, "vision/w1", 6))
        await a_session_waits(dsn)
    assert await giving is None
    assert await pool(dsn) == {("vision", "east"): 6, ("vision", "fleet"): 0}
