import pytest

from gateway.errors import SourceMisread, SourceUnavailable
from gateway.fleet.change import Order, SetCordon
from gateway.fleet.clock import utc_now
from gateway.sources.postgres.orders.writer import PostgresWriter
from gateway.sources.postgres.records import PlatformSource
from tests.fakes.feed import RecordingFeed
from tests.sources.postgres.orders.replica import running_replica

GPU_01 = {"cluster": "fleet", "node": "gpu-01"}
CORDON = SetCordon(**GPU_01, cordoned=True)

# The server goes away at once, or while it commits.
DIE = """
CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    PERFORM pg_terminate_backend(pg_backend_pid());
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER die AFTER UPDATE ON node_record DEFERRABLE INITIALLY {}
    FOR EACH ROW EXECUTE FUNCTION die();
"""


async def test_another_replica_sees_it_too(replica, api):
    async with running_replica(api) as other:
        await replica.ask(CORDON)
        assert replica.node("gpu-01").desired.cordoned
        await other.feed.until(lambda: other.node("gpu-01").desired is not None)
        assert other.node("gpu-01").desired == replica.node("gpu-01").desired


async def test_each_caller_reads_what_it_wrote_however_many_write(replica):
    for generation in range(1, 21):
        outcome = await replica.ask(SetCordon(**GPU_01, cordoned=bool(generation % 2)))
        assert outcome.generation == replica.node("gpu-01").desired.generation == generation


async def test_what_is_written_is_written_though_nobody_here_reads(api, session):
    idle = PlatformSource(lambda: api, RecordingFeed(), utc_now)
    outcome = await PostgresWriter(lambda: api, idle).write(Order(change=CORDON, actor="ada"))
    assert outcome.generation == 1
    assert await session.fetchval("SELECT desired_cordoned FROM node_record WHERE name = 'gpu-01'")


async def test_a_connection_lost_in_the_commit_says_how_to_find_out(replica, session):
    await session.execute(DIE.format("DEFERRED"))
    with pytest.raises(SourceUnavailable, match="whether the change was made is not known") as lost:
        await replica.ask(CORDON, key="k")
    assert "ask again with the same idempotencyKey" in str(lost.value)
    await session.execute("DROP TRIGGER die ON node_record")
    assert (await replica.ask(CORDON, key="k")).generation == 1


async def test_a_connection_lost_before_the_commit_leaves_nothing_in_doubt(replica, session):
    await session.execute(DIE.format("IMMEDIATE"))
    with pytest.raises(SourceUnavailable) as lost:
        await replica.ask(CORDON, key="k")
    assert "not known" not in str(lost.value)
    assert not await session.fetchval("SELECT count(*) FROM answered")


async def test_a_database_that_is_not_there_is_a_source_that_is_silent():
    nowhere = "postgresql://gateway_api@127.0.0.1:1/records"
    writer = PostgresWriter(lambda: nowhere, PlatformSource(lambda: nowhere, RecordingFeed(), utc_now))
    with pytest.raises(SourceUnavailable) as silent:
        await writer.write(Order(change=CORDON, actor="ada"))
    assert "not known" not in str(silent.value)


async def test_a_record_that_cannot_be_read_is_not_written_over(replica, session):
    await session.execute(
        "UPDATE node_record SET desired_layout = '[1]', desired_cordoned = true WHERE name = 'gpu-01'"
    )
    with pytest.raises(SourceMisread, match="node_record fleet/gpu-01: desired_layout: "):
        await replica.ask(CORDON)
