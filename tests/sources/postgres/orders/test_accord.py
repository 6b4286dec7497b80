"""A dry run, the answer to the change, and history tell the same."""

from dataclasses import replace

from gateway.fleet.change import AssignNode, ReleaseNode, SetCordon, SetMigLayout
from gateway.fleet.desired import CardLayout, MigLayout, ProfileCount
from gateway.fleet.history import HistoryAsked
from gateway.fleet.planned_node import planned_node
from gateway.fleet.platform import Target

GPU_01 = {"cluster": "fleet", "node": "gpu-01"}
THIRDS = MigLayout(
    cards=(
        CardLayout(devices=(0, 1), profiles=(ProfileCount(profile="3g.40gb", count=2),)),
        CardLayout(devices=(2,), profiles=()),
    )
)
LAYOUT = SetMigLayout(**GPU_01, layout=THIRDS, node_uid="u1", acknowledged=frozenset({"b", "a"}))
CHANGES = [
    SetCordon(**GPU_01, cordoned=True, reason="fan"),
    SetCordon(**GPU_01, cordoned=True, reason='a "loud" fan, ü'),
    LAYOUT,
    replace(LAYOUT, node_uid="u2"),
    replace(LAYOUT, layout=MigLayout(config="all-1g.10gb"), acknowledged=frozenset()),
    SetCordon(**GPU_01, cordoned=False),
    SetMigLayout(**GPU_01, layout=None),
    ReleaseNode(**GPU_01),
    AssignNode(**GPU_01, tenant="speech", target=Target.KUBERNETES),
    AssignNode(cluster="fleet", node="gpu-09", tenant="speech", target=Target.SLURM),
]  # fmt: skip


async def test_a_dry_run_tells_what_is_written_and_history_what_was(replica):
    for change in CHANGES:
        dry = planned_node(change, replica.records.nodes.get((change.cluster, change.node)))
        outcome = await replica.ask(change)
        assert outcome.changes == dry != ()

        asked = HistoryAsked(cluster="fleet", node=change.node, before=None, limit=len(dry))
        (history,) = await replica.writer.history([asked])
        assert {(one.field, one.before, one.after) for one in history.changes} == {
            (one.field, one.before, one.after) for one in dry
        }
        assert {one.generation for one in history.changes} == {outcome.generation}


async def test_another_try_is_told_alike_as_well(replica, session):
    again = SetCordon(**GPU_01, cordoned=True)
    await replica.ask(again)
    await session.execute(
        "UPDATE node_record SET observed_phase = 'BLOCKED', observed_generation = 1,"
        " observed_layout_converged = 0, observed_message = '' WHERE name = 'gpu-01'"
    )
    await replica.feed.until(lambda: replica.node("gpu-01").observed is not None)
    (dry,) = planned_node(again, replica.node("gpu-01"))
    assert (await replica.ask(again)).changes == (dry,)
    (history,) = await replica.writer.history(
        [HistoryAsked(cluster="fleet", node="gpu-01", before=None, limit=1)]
    )
    assert [(one.field, one.before, one.after) for one in history.changes] == [
        (dry.field, dry.before, dry.after)
    ]
