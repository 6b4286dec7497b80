import pytest

from gateway.fleet.clock import utc_now
from gateway.fleet.history import HistoryAsked, Writer
from gateway.sources.postgres.field_changes import read_history
from tests.sources.postgres.as_writer import API, HEALTH, RECONCILER, session_of

LAYOUT = '{"config": null, "cards": [{"devices": null, "profiles": [{"count": 7, "profile": "1g.10gb"}]}]}'
RECORD = (
    "INSERT INTO node_record (cluster, name, target, tenant_id) VALUES ('fleet', $1, 'KUBERNETES', 'vision')"
)


def of(name, before=None, limit=50, cluster="fleet"):
    return HistoryAsked(cluster=cluster, node=name, before=before, limit=limit)


def told(history):
    return [(one.field, one.before, one.after) for one in history.changes]


@pytest.fixture
async def api(migrated, session):
    """A session of the API's role, with a tenant; a node gets its record in it."""
    await session.execute("INSERT INTO tenant (id) VALUES ('vision')")
    async with session_of(API, migrated) as connection:
        await connection.execute("SET gateway.actor = 'ada'")
        yield connection


async def test_each_writers_changes_are_told_by_field_with_who_and_when(api, migrated, session):
    began = utc_now()
    await api.execute(RECORD, "gpu-01")
    await api.execute("UPDATE node_record SET desired_cordoned = true, desired_cordon_reason = 'fan'")
    await session.execute("INSERT INTO controller (name, holder) VALUES ('node-reconciler/fleet', 'a')")
    async with session_of(RECONCILER, migrated) as reconciler:
        await reconciler.execute("SET gateway.epoch = '1'")
        await reconciler.execute(
            "UPDATE node_record SET observed_phase = 'BLOCKED', observed_generation = 1,"
            " observed_layout_converged = 0, observed_message = 'a hold',"
            """ observed_blockers = '[{"cause": "HOLD", "name": "gpu-01", "workload_id": null}]'"""
        )
    async with session_of(HEALTH, migrated) as health:
        await health.execute(
            "UPDATE node_record SET health_healthy = false, health_checked_at = now(),"
            """ health_reasons = '[{"code": "CARDS_LOST", "message": "1 lost", "since": null}]'"""
        )
    await session.execute("UPDATE node_record SET claimed_cards = 8, claimed_gpu_type = 'T4-16GB'")

    (history,) = await read_history(api, [of("gpu-01")])
    assert [(one.writer, one.field, one.before, one.after) for one in history.changes] == [
        (Writer.OTHER, "claimed.gpuType", None, "T4-16GB"),
        (Writer.OTHER, "claimed.cards", None, "8"),
        (Writer.HEALTH_MONITOR, "reportedHealth.reasons", None, '[{code: "CARDS_LOST", message: "1 lost"}]'),
        (Writer.HEALTH_MONITOR, "reportedHealth.healthy", None, "false"),
        (Writer.RECONCILER, "observed.phase", None, "BLOCKED"),
        (Writer.RECONCILER, "observed.message", None, "a hold"),
        (Writer.RECONCILER, "observed.layoutConverged", None, "0"),
        (Writer.RECONCILER, "observed.generation", None, "1"),
        (Writer.RECONCILER, "observed.blockers", None, '[{name: "gpu-01", cause: "HOLD"}]'),
        (Writer.API, "desired.cordoned", "false", "true"),
        (Writer.API, "desired.cordonReason", None, "fan"),
        (Writer.API, "tenant", None, "vision"),
        (Writer.API, "target", None, "KUBERNETES"),
    ]
    assert history.total == len(history.changes)
    actors = {one.writer: one.actor for one in history.changes}
    assert actors[Writer.API] == "ada"
    assert actors[Writer.RECONCILER] == "gateway_reconciler"
    assert {one.generation for one in history.changes if one.writer is not Writer.API} == {1}
    assert all(began < one.at < utc_now() for one in history.changes)
    numbers = [one.number for one in history.changes]
    assert numbers == sorted(numbers, reverse=True)


async def test_pages_follow_by_number_and_new_changes_do_not_move_them(api):
    await api.execute(RECORD, "gpu-01")
    for name in "abcd":
        await api.execute("UPDATE node_record SET desired_cordon_reason = $1", name)
    (first,) = await read_history(api, [of("gpu-01", limit=2)])
    assert told(first) == [("desired.cordonReason", "c", "d"), ("desired.cordonReason", "b", "c")]
    await api.execute("UPDATE node_record SET desired_cordon_reason = 'e'")
    (second,) = await read_history(api, [of("gpu-01", before=first.changes[-1].number, limit=2)])
    assert told(second) == [("desired.cordonReason", "a", "b"), ("desired.cordonReason", None, "a")]
    assert (first.total, second.total) == (6, 7)
    (last,) = await read_history(api, [of("gpu-01", before=second.changes[-1].number - 2)])
    assert (last.changes, last.total) == ((), 7)


async def test_several_nodes_are_answered_in_the_order_in_which_they_are_asked_about(api):
    for name in ("gpu-01", "gpu-02"):
        await api.execute(RECORD, name)
    await api.execute("UPDATE node_record SET desired_cordoned = true WHERE name = 'gpu-02'")
    asked = [of("gpu-02"), of("gpu-09"), of("gpu-01", limit=1), of("gpu-01", cluster="east")]
    histories = await read_history(api, asked)
    assert [one.total for one in histories] == [3, 0, 2, 0]
    assert [len(one.changes) for one in histories] == [3, 0, 1, 0]
    assert told(histories[0])[0] == ("desired.cordoned", "false", "true")
    assert await read_history(api, []) == []


async def test_a_layout_is_told_as_it_is_asked_for(api):
    await api.execute(RECORD, "gpu-01")
    await api.execute(
        "UPDATE node_record SET desired_layout = $1, desired_uid = 'u1', desired_acknowledged = '{b}'", LAYOUT
    )
    await api.execute("UPDATE node_record SET desired_layout = NULL")
    (history,) = await read_history(api, [of("gpu-01", limit=4)])
    text = '{cards: [{profiles: [{profile: "1g.10gb", count: 7}]}]}'
    assert told(history) == [
        ("desired.migLayout", text, None),
        ("desired.nodeUid", None, "u1"),
        ("desired.migLayout", None, text),
        ("desired.acknowledgedWorkloads", "[]", '["b"]'),
    ]


async def test_another_try_is_told_as_one_more_generation(api):
    await api.execute(RECORD, "gpu-01")
    for _ in range(2):
        await api.execute("UPDATE node_record SET desired_retried = desired_generation + 1")
    (history,) = await read_history(api, [of("gpu-01", limit=2)])
    assert told(history) == [("desired.generation", "1", "2"), ("desired.generation", "0", "1")]


async def test_what_another_release_wrote_is_told_as_it_stands(api, session):
    await api.execute(RECORD, "gpu-01")
    await session.execute("UPDATE node_record SET desired_layout = '[1, 2]'")
    await session.execute("ALTER TABLE node_record ADD rack text")
    await session.execute("UPDATE node_record SET rack = 'r7'")
    (history,) = await read_history(api, [of("gpu-01", limit=2)])
    assert told(history) == [("rack", None, "r7"), ("desired.migLayout", None, "[1, 2]")]


async def test_a_node_that_is_gone_keeps_its_history(api):
    await api.execute(RECORD, "gpu-01")
    await api.execute("DELETE FROM node_record")
    (history,) = await read_history(api, [of("gpu-01")])
    assert told(history)[:2] == [("tenant", "vision", None), ("target", "KUBERNETES", None)]
