from dataclasses import replace

import pytest

from gateway.fleet.change import AssignNode, ReleaseNode, SetCordon, SetMigLayout
from gateway.fleet.desired import (
    CardLayout,
    MigLayout,
    NodeDesired,
    NodeObserved,
    ProfileCount,
    ReconcilePhase,
)
from gateway.fleet.planned_node import planned_node
from gateway.fleet.platform import Target
from gateway.fleet.problem import ProblemCode
from tests.builders import CLUSTER, NOON, a_record

GPU_01 = {"cluster": CLUSTER, "node": "gpu-01"}
SEVENTHS = MigLayout(
    cards=(CardLayout(devices=(0, 1), profiles=(ProfileCount(profile="1g.10gb", count=7),)),)
)
ASSIGN = AssignNode(**GPU_01, tenant="vision", target=Target.KUBERNETES)


def fields(plan):
    return [(one.field, one.before, one.after) for one in plan]


def wishing(*, cordoned=False, reason=None, layout=None, uid=None, acknowledged=(), **how):
    return a_record_with(
        NodeDesired(
            cordoned=cordoned,
            cordon_reason=reason,
            mig_layout=layout,
            generation=4,
            layout_generation=4,
            layout_uid=uid,
            acknowledged=frozenset(acknowledged),
            changed_at=NOON,
            changed_by="ada",
        ),
        **how,
    )


def a_record_with(desired=None, phase=None, tried=4, **how):
    record = a_record(**how)
    observed = phase and NodeObserved(
        phase=phase,
        generation=tried,
        layout_converged=0,
        converged=False,
        message="",
        blockers=(),
        changed_at=NOON,
    )
    return replace(record, desired=desired, observed=observed)


def test_a_first_cordon_is_told_with_its_reason():
    plan = planned_node(SetCordon(**GPU_01, cordoned=True, reason="fan"), a_record())
    assert fields(plan) == [("desired.cordoned", "false", "true"), ("desired.cordonReason", None, "fan")]


@pytest.mark.parametrize("record", [a_record(), wishing(), wishing(phase=ReconcilePhase.CONVERGED)])
def test_what_is_so_already_alters_nothing(record):
    assert planned_node(SetCordon(**GPU_01, cordoned=False, reason="none is needed"), record) == ()
    assert planned_node(SetMigLayout(**GPU_01, layout=None, node_uid="u"), record) == ()


def test_a_withdrawn_cordon_takes_its_reason_along():
    plan = planned_node(SetCordon(**GPU_01, cordoned=False), wishing(cordoned=True, reason="fan"))
    assert fields(plan) == [("desired.cordoned", "true", "false"), ("desired.cordonReason", "fan", None)]


def test_a_layout_is_told_as_a_document_writes_it_with_its_node_and_what_was_acknowledged():
    change = SetMigLayout(**GPU_01, layout=SEVENTHS, node_uid="u1", acknowledged=frozenset({"b", "a"}))
    assert fields(planned_node(change, a_record())) == [
        (
            "desired.migLayout",
            None,
            '{cards: [{devices: [0, 1], profiles: [{profile: "1g.10gb", count: 7}]}]}',
        ),
        ("desired.nodeUid", None, "u1"),
        ("desired.acknowledgedWorkloads", "[]", '["a", "b"]'),
    ]


def test_the_same_layout_for_a_node_made_anew_is_another_wish():
    held = wishing(layout=SEVENTHS, uid="u1", acknowledged={"a"})
    again = SetMigLayout(**GPU_01, layout=SEVENTHS, node_uid="u2", acknowledged=frozenset({"a"}))
    assert fields(planned_node(again, held)) == [("desired.nodeUid", "u1", "u2")]


def test_a_withdrawn_layout_leaves_nothing_of_itself():
    held = wishing(layout=MigLayout(config="all-1g.10gb"), uid="u1", acknowledged={"a"})
    assert fields(planned_node(SetMigLayout(**GPU_01, layout=None, node_uid="u1"), held)) == [
        ("desired.migLayout", '{config: "all-1g.10gb"}', None),
        ("desired.nodeUid", "u1", None),
        ("desired.acknowledgedWorkloads", '["a"]', "[]"),
    ]


@pytest.mark.parametrize(
    ("phase", "tried", "changes"),
    [
        (ReconcilePhase.BLOCKED, 4, [("desired.generation", "4", "5")]),
        (ReconcilePhase.FAILED, 4, [("desired.generation", "4", "5")]),
        (ReconcilePhase.FAILED, 3, []),
        (ReconcilePhase.DRAINING, 4, []),
        (ReconcilePhase.CONVERGED, 4, []),
    ],
)
def test_the_same_again_is_another_try_where_this_wish_was_given_up(phase, tried, changes):
    held = wishing(cordoned=True, phase=phase, tried=tried)
    assert fields(planned_node(SetCordon(**GPU_01, cordoned=True), held)) == changes


def test_a_cordon_that_nobody_wants_is_no_other_try_of_a_layout():
    failed = wishing(layout=SEVENTHS, uid="u1", phase=ReconcilePhase.FAILED)
    assert planned_node(SetCordon(**GPU_01, cordoned=False), failed) == ()
    again = SetMigLayout(**GPU_01, layout=SEVENTHS, node_uid="u1")
    assert fields(planned_node(again, failed)) == [("desired.generation", "4", "5")]
    alone = wishing(phase=ReconcilePhase.BLOCKED)
    assert fields(planned_node(SetCordon(**GPU_01, cordoned=False), alone)) == [
        ("desired.generation", "4", "5")
    ]


@pytest.mark.parametrize("change", [SetCordon(**GPU_01, cordoned=False), SetMigLayout(**GPU_01, layout=None)])
def test_nothing_is_wished_of_a_node_without_a_record(change):
    problem = planned_node(change, None)
    assert problem.code is ProblemCode.NO_RECORD
    assert problem.message == "node fleet/gpu-01 has no record of the platform: assign it to a tenant first"


@pytest.mark.parametrize(
    ("target", "said"), [(Target.SLURM, "serves Slurm, where"), (None, "serves no scheduler now: assign it")]
)
def test_only_on_kubernetes_a_wish_is_carried_out_but_one_may_be_withdrawn_anywhere(target, said):
    held = wishing(target=target, cordoned=True, layout=SEVENTHS)
    for change in (SetCordon(**GPU_01, cordoned=True), SetMigLayout(**GPU_01, layout=SEVENTHS)):
        problem = planned_node(change, held)
        assert problem.code is ProblemCode.WRONG_TARGET
        assert said in problem.message
    assert fields(planned_node(SetCordon(**GPU_01, cordoned=False), held)) == [
        ("desired.cordoned", "true", "false")
    ]
    assert planned_node(SetMigLayout(**GPU_01, layout=None), held)[0].after is None


@pytest.mark.parametrize(
    ("record", "changes"),
    [
        (None, [("target", None, "KUBERNETES"), ("tenant", None, "vision")]),
        (a_record(target=None, tenant=None), [("target", None, "KUBERNETES"), ("tenant", None, "vision")]),
        (a_record(tenant=None), [("tenant", None, "vision")]),
        (a_record(), []),
    ],
)
def test_a_node_that_nobody_holds_is_assigned(record, changes):
    assert fields(planned_node(ASSIGN, record)) == changes


def test_a_node_that_somebody_holds_is_not_assigned_and_the_holder_is_named():
    problem = planned_node(ASSIGN, a_record(tenant="speech"))
    assert problem.code is ProblemCode.FOREIGN_OWNER
    assert problem.message == "node fleet/gpu-01 is held by tenant speech: have it released first"


def test_a_tenant_moves_its_node_to_another_target_by_a_release():
    problem = planned_node(ASSIGN, a_record(target=Target.SLURM))
    assert problem.code is ProblemCode.WRONG_TARGET
    assert problem.message == "node fleet/gpu-01 serves SLURM for vision: release it first"


@pytest.mark.parametrize(
    ("record", "changes"),
    [
        (a_record(), [("target", "KUBERNETES", None), ("tenant", "vision", None)]),
        (a_record(tenant=None), [("target", "KUBERNETES", None)]),
        (a_record(target=None, tenant=None), []),
        (None, []),
    ],
)
def test_a_release_leaves_neither_target_nor_tenant(record, changes):
    assert fields(planned_node(ReleaseNode(**GPU_01), record)) == changes


@pytest.mark.parametrize("change", [ReleaseNode(**GPU_01), ASSIGN])
def test_no_node_changes_hands_in_the_midst_of_a_change(change):
    tenant = None if change is ASSIGN else "vision"
    problem = planned_node(change, a_record_with(phase=ReconcilePhase.APPLYING, tenant=tenant))
    assert problem.retryable
    assert "in the midst of a change" in problem.message
    resting = planned_node(change, a_record_with(phase=ReconcilePhase.FAILED, tenant=tenant))
    assert [one.field for one in resting][-1] == "tenant"


@pytest.mark.parametrize(
    ("record", "expected", "current"), [(None, 1, 0), (a_record(), 2, 0), (wishing(), 3, 4)]
)
def test_a_node_that_moved_since_is_a_conflict_before_anything_else(record, expected, current):
    for change in (
        SetCordon(**GPU_01, cordoned=True, if_generation=expected),
        ReleaseNode(**GPU_01, if_generation=expected),
    ):
        problem = planned_node(change, record)
        assert (problem.code, problem.current_generation) == (ProblemCode.GENERATION_CONFLICT, current)


def test_generation_0_means_that_nobody_asked_for_anything_yet():
    change = SetCordon(**GPU_01, cordoned=True, if_generation=0)
    assert fields(planned_node(change, a_record())) == [("desired.cordoned", "false", "true")]
    assert planned_node(change, wishing()).current_generation == 4
