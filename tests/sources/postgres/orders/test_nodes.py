from dataclasses import replace

import pytest

from gateway.fleet.change import AssignNode, PlannedChange, ReleaseNode, SetCordon, SetMigLayout, Written
from gateway.fleet.desired import CardLayout, MigLayout, ProfileCount
from gateway.fleet.platform import Target
from gateway.fleet.problem import ProblemCode

GPU_01 = {"cluster": "fleet", "node": "gpu-01"}
SEVENTHS = MigLayout(cards=(CardLayout(devices=(0,), profiles=(ProfileCount(profile="1g.10gb", count=7),)),))
CORDON = SetCordon(**GPU_01, cordoned=True, reason="fan")
LAYOUT = SetMigLayout(**GPU_01, layout=SEVENTHS, node_uid="u1", acknowledged=frozenset({"b", "a"}))
NEW = {"cluster": "fleet", "node": "gpu-09"}


def assign(tenant="vision", target=Target.KUBERNETES, **node):
    return AssignNode(**(node or NEW), tenant=tenant, target=target)


async def observe(session, phase, generation):
    await session.execute(
        "UPDATE node_record SET observed_phase = $1, observed_generation = $2, observed_layout_converged = 0,"
        " observed_message = '' WHERE name = 'gpu-01'",
        phase,
        generation,
    )


async def test_a_cordon_is_asked_for_and_the_next_read_shows_it(replica):
    outcome = await replica.ask(CORDON)
    assert outcome == Written(
        changes=(
            PlannedChange(field="desired.cordoned", before="false", after="true"),
            PlannedChange(field="desired.cordonReason", before=None, after="fan"),
        ),
        generation=1,
    )
    desired = replica.node("gpu-01").desired
    assert (desired.cordoned, desired.cordon_reason, desired.changed_by) == (True, "fan", "ada")


async def test_what_is_so_already_stays_in_its_generation(replica):
    await replica.ask(CORDON)
    assert await replica.ask(CORDON) == Written(changes=(), generation=1)
    assert await replica.ask(SetMigLayout(**GPU_01, layout=None)) == Written(changes=(), generation=1)


async def test_a_layout_is_kept_with_the_node_that_it_is_for_and_what_may_be_evicted(replica):
    await replica.ask(CORDON)
    assert (await replica.ask(LAYOUT)).generation == 2
    desired = replica.node("gpu-01").desired
    assert desired.mig_layout == SEVENTHS
    assert (desired.layout_uid, desired.acknowledged, desired.layout_generation) == ("u1", {"a", "b"}, 2)

    assert (await replica.ask(SetCordon(**GPU_01, cordoned=False))).generation == 3
    assert replica.node("gpu-01").desired.layout_generation == 2

    await replica.ask(SetMigLayout(**GPU_01, layout=None))
    desired = replica.node("gpu-01").desired
    assert (desired.mig_layout, desired.layout_uid, desired.acknowledged) == (None, None, frozenset())
    assert (desired.cordon_reason, desired.layout_generation) == (None, 4)


async def test_asking_for_the_same_after_it_was_given_up_is_another_try(replica, session):
    await replica.ask(LAYOUT)
    await observe(session, "FAILED", 1)
    again = await replica.ask(LAYOUT)
    assert again == Written(
        changes=(PlannedChange(field="desired.generation", before="1", after="2"),), generation=2
    )
    assert (await replica.ask(LAYOUT)).changes == ()
    await observe(session, "BLOCKED", 2)
    assert (await replica.ask(LAYOUT)).generation == 3


async def test_a_change_for_another_generation_is_a_conflict_and_leaves_everything_as_it_was(replica):
    await replica.ask(SetCordon(**GPU_01, cordoned=True, if_generation=0))
    problem = await replica.ask(SetCordon(**GPU_01, cordoned=False, if_generation=0))
    assert (problem.code, problem.current_generation) == (ProblemCode.GENERATION_CONFLICT, 1)
    assert (await replica.ask(SetCordon(**GPU_01, cordoned=False, if_generation=1))).generation == 2


async def test_a_node_without_a_record_gets_one_by_an_assignment(replica):
    outcome = await replica.ask(assign())
    assert [one.field for one in outcome.changes] == ["target", "tenant"]
    assert outcome.generation == 1
    record = replica.node("gpu-09")
    assert (record.target, record.tenant_name) == (Target.KUBERNETES, "vision")
    assert await replica.ask(assign()) == Written(changes=(), generation=1)


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (assign("nobody"), ProblemCode.NOT_FOUND, "there is no tenant 'nobody'"),
        (SetCordon(**NEW, cordoned=True), ProblemCode.NO_RECORD, "node fleet/gpu-09 has no record"),
        (SetMigLayout(**NEW, layout=SEVENTHS), ProblemCode.NO_RECORD, "assign it to a tenant first"),
        (
            AssignNode(**NEW, tenant="vision", target=Target.SLURM, if_generation=3),
            ProblemCode.GENERATION_CONFLICT,
            "at generation 0, not 3",
        ),
        (ReleaseNode(**NEW, if_generation=1), ProblemCode.GENERATION_CONFLICT, "at generation 0, not 1"),
    ],
)
async def test_a_refusal_leaves_no_record_behind(replica, session, change, code, said):
    problem = await replica.ask(change)
    assert problem.code is code
    assert said in problem.message
    assert not await session.fetchval("SELECT count(*) FROM node_record WHERE name = 'gpu-09'")


async def test_a_node_changes_hands_by_a_release_that_keeps_its_record(replica):
    await replica.ask(CORDON)
    problem = await replica.ask(assign("speech", **GPU_01))
    assert problem.code is ProblemCode.FOREIGN_OWNER
    assert problem.message == "node fleet/gpu-01 is held by tenant vision: have it released first"

    assert (await replica.ask(ReleaseNode(**GPU_01))).generation == 2
    record = replica.node("gpu-01")
    assert (record.target, record.tenant_name, record.desired.cordoned) == (None, None, True)
    assert await replica.ask(ReleaseNode(**GPU_01)) == Written(changes=(), generation=2)
    assert await replica.ask(ReleaseNode(**NEW)) == Written(changes=(), generation=0)

    assert (await replica.ask(assign("speech", **GPU_01))).generation == 3
    assert replica.node("gpu-01").tenant_name == "speech"


async def test_a_node_that_serves_slurm_gets_no_wish_and_says_so(replica):
    for change in (SetCordon(cluster="fleet", node="gpu-02", cordoned=True),
                   SetMigLayout(cluster="fleet", node="gpu-02", layout=SEVENTHS)):  # fmt: skip
        problem = await replica.ask(change)
        assert problem.code is ProblemCode.WRONG_TARGET
    assert replica.node("gpu-02").desired is None


async def test_no_node_is_released_in_the_midst_of_a_change(replica, session):
    await replica.ask(LAYOUT)
    await observe(session, "DRAINING", 1)
    problem = await replica.ask(ReleaseNode(**GPU_01))
    assert (problem.code, problem.retryable) == (ProblemCode.OTHER, True)
    assert "in the midst of a change" in problem.message
    await observe(session, "CONVERGED", 1)
    assert (await replica.ask(ReleaseNode(**GPU_01))).generation == 2


async def test_words_that_no_database_can_keep_are_a_problem_of_the_input(replica):
    problem = await replica.ask(SetCordon(**GPU_01, cordoned=True, reason="a\0b"))
    assert problem.code is ProblemCode.INVALID
    assert "0x00" in problem.message


async def test_a_node_whose_record_was_removed_is_asked_for_as_one_that_never_had_any(replica, session):
    """Readers see no generation of it; the database goes on counting where it was."""
    first = await replica.ask(assign())
    await session.execute("DELETE FROM node_record WHERE name = 'gpu-09'")

    early = await replica.ask(replace(assign(), if_generation=first.generation))
    assert (early.code, early.current_generation) == (ProblemCode.GENERATION_CONFLICT, 0)
    again = await replica.ask(replace(assign(), if_generation=0))
    assert again.changes == first.changes
    assert again.generation > first.generation
