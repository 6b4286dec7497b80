from datetime import UTC, datetime

import pytest

from gateway.errors import System
from gateway.fleet.desired import BlockCause, Blocker, Controller, MigLayout, NodeDesired, ReconcilePhase
from gateway.fleet.health_reason import HealthCode, HealthReason
from gateway.fleet.platform import Target
from gateway.fleet.unknown import undetermined
from gateway.sources.postgres.snapshot import read_tables, renewed

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
EMPTY = {
    "gpu_type": [],
    "gpu_price": [],
    "tenant": [],
    "workspace": [],
    "workspace_namespace": [],
    "gpu_allocation": [],
    "node_record": [],
    "controller": [],
}


def a_node(name, target="KUBERNETES", claimed_gpu_type=None):
    return {
        "cluster": "fleet",
        "name": name,
        "target": target,
        "tenant_id": None,
        "claimed_cards": None,
        "claimed_gpu_type": claimed_gpu_type,
        "desired_generation": 0,
        "observed_phase": None,
        "observed_progress": None,
        "health_healthy": None,
    }


def read(**tables):
    snapshot = read_tables(EMPTY | tables)
    problems = [(item.subject, item.problems[0].path, item.problems[0].raw) for item in snapshot.skipped]
    return snapshot.records, problems


def test_a_target_that_this_release_does_not_know_skips_that_record_alone():
    records, problems = read(node_record=[a_node("gpu-01", "NOMAD"), a_node("gpu-02", "SLURM")])
    assert {name: node.target for (_, name), node in records.nodes.items()} == {"gpu-02": Target.SLURM}
    assert problems == [("node_record/fleet/gpu-01", "target", "NOMAD")]


def test_a_claim_of_an_unknown_type_is_named_and_stays_a_claim():
    records, problems = read(node_record=[a_node("gpu-01", claimed_gpu_type="X9"), a_node("gpu-02", None)])
    assert records.nodes["fleet", "gpu-01"].claimed_gpu_type == "X9"
    assert records.nodes["fleet", "gpu-02"].target is None
    assert problems == [("node_record/fleet/gpu-01", "claimed_gpu_type", "X9")]


def test_a_price_of_an_unknown_type_is_skipped_by_its_name():
    price = {"gpu_type": "X9", "effective_from": "2026-01-01", "amount": 1, "currency": "USD"}
    records, problems = read(gpu_price=[price])
    assert records.prices == {}
    assert problems == [("gpu_price/X9/2026-01-01", "gpu_type", "X9")]


def test_what_is_gone_is_gone_and_what_is_equal_stays_itself():
    old, _ = read(node_record=[a_node("gpu-01"), a_node("gpu-02")])
    new, _ = read(node_record=[a_node("gpu-02")])
    kept = renewed(old, new)
    assert list(kept.nodes) == [("fleet", "gpu-02")]
    assert kept.nodes["fleet", "gpu-02"] is old.nodes["fleet", "gpu-02"]
    assert renewed(old, read(node_record=[a_node("gpu-01"), a_node("gpu-02")])[0]) is old


ASKED = {
    "desired_generation": 3,
    "layout_generation": 2,
    "desired_cordoned": True,
    "desired_cordon_reason": "fan",
    "desired_layout": '{"config": "all-1g.10gb"}',
    "desired_uid": "uid-1",
    "desired_acknowledged": ["a", "b"],
    "desired_retried": None,
    "desired_changed_at": NOON,
    "desired_changed_by": "ana",
}
SEEN = {
    "observed_phase": "CONVERGED",
    "observed_generation": 3,
    "observed_layout_converged": 2,
    "observed_message": "done",
    "observed_blockers": "[]",
    "observed_changed_at": NOON,
}


def one_node(**columns):
    """The only record, and what was left out."""
    records, problems = read(node_record=[a_node("gpu-01") | columns])
    return records.nodes.get(("fleet", "gpu-01")), problems


def test_nothing_was_asked_of_a_node_until_something_is():
    node, _ = one_node()
    assert (node.desired, node.observed, node.reported_health) == (None, None, None)


def test_what_is_desired_is_read_with_who_asked():
    node, _ = one_node(**ASKED)
    assert node.desired == NodeDesired(
        cordoned=True,
        cordon_reason="fan",
        mig_layout=MigLayout(config="all-1g.10gb"),
        generation=3,
        layout_generation=2,
        layout_uid="uid-1",
        acknowledged=frozenset({"a", "b"}),
        changed_at=NOON,
        changed_by="ana",
    )


@pytest.mark.parametrize(
    ("phase", "generation", "converged"),
    [("CONVERGED", 3, True), ("CONVERGED", 2, False), ("VERIFYING", 3, False), ("BLOCKED", 3, False)],
)
def test_a_node_has_converged_only_in_the_generation_that_is_desired(phase, generation, converged):
    node, _ = one_node(**ASKED | SEEN | {"observed_phase": phase, "observed_generation": generation})
    assert node.observed.converged is converged


def test_words_of_a_later_release_are_other_and_lose_nothing_beside_them():
    node, problems = one_node(
        **SEEN
        | {"observed_phase": "POLISHING", "observed_blockers": '[{"cause": "TIDE", "name": "moon"}]'}
        | {"health_healthy": False, "health_checked_at": NOON}
        | {"health_reasons": '[{"code": "RUST", "message": "red", "since": null, "depth": 3}]'}
    )
    assert node.observed.phase is ReconcilePhase.OTHER
    assert node.observed.blockers == (Blocker(cause=BlockCause.OTHER, name="moon"),)
    assert node.reported_health.reasons == (HealthReason(code=HealthCode.OTHER, message="red"),)
    assert problems == []


@pytest.mark.parametrize(
    ("column", "raw"),
    [
        ("desired_layout", '{"cards": [{"devices": "all"}]}'),
        ("desired_layout", "7"),
        ("observed_blockers", '[{"cause": "HOLD"}]'),
        ("observed_blockers", '{"cause": "HOLD"}'),
        ("health_reasons", '["CARDS_LOST"]'),
        ("observed_progress", '{"began_at": "yesterday"}'),
    ],
)
def test_a_row_in_another_form_says_who_holds_the_node_and_which_column_is_not_to_be_read(column, raw):
    whole = ASKED | SEEN | {"health_healthy": True, "health_reasons": "[]", "health_checked_at": NOON}
    records, problems = read(node_record=[a_node("gpu-01") | whole | {column: raw}, a_node("gpu-02")])
    broken, other = (records.nodes["fleet", name] for name in ("gpu-01", "gpu-02"))
    assert (broken.target, broken.tenant_name) == (other.target, other.tenant_name)
    assert broken.desired == broken.observed == broken.reported_health
    why = f"{column}: {raw} is not in a form that this release reads; correct it first"
    assert broken.desired == undetermined(System.PLATFORM, f"node_record fleet/gpu-01: {why}")
    assert problems == [("node_record/fleet/gpu-01", column, raw)]


def test_a_target_of_a_later_release_leaves_its_row_out_by_name():
    records, problems = read(node_record=[a_node("gpu-01") | {"target": "QUANTUM"}, a_node("gpu-02")])
    assert list(records.nodes) == [("fleet", "gpu-02")]
    assert problems == [("node_record/fleet/gpu-01", "target", "QUANTUM")]


def test_a_controller_tells_how_many_nodes_of_its_own_cluster_it_has_out_of_service():
    begun = '{"began_at": "2026-05-01T12:00:00Z"}'
    gave_up = '{"began_at": "2026-05-01T12:00:00Z", "gave_up": true}'
    stands = [
        ("DRAINING", begun),
        ("BLOCKED", begun),
        ("FAILED", begun),
        ("POLISHING", None),
        ("BLOCKED", None),
        ("BLOCKED", gave_up),
        ("CONVERGED", begun),
        (None, None),
    ]
    nodes = [
        a_node(f"gpu-{number}") | SEEN | {"observed_phase": phase, "observed_progress": progress}
        for number, (phase, progress) in enumerate(stands)
    ]
    elsewhere = nodes[0] | {"cluster": "east"}
    held = {"holder": "pod-a", "epoch": 4, "max_in_change": 1, "paused_by": None, "paused_reason": None}
    paused = held | {"holder": None, "epoch": 0, "paused_by": "ana", "paused_reason": "storm"}
    records, _ = read(
        node_record=[*nodes, elsewhere],
        controller=[{"name": "node-reconciler/fleet"} | held, {"name": "node-reconciler/west"} | paused],
    )
    assert records.controllers == {
        "node-reconciler/fleet": Controller(
            name="node-reconciler/fleet",
            leader="pod-a",
            epoch=4,
            paused=False,
            paused_by=None,
            reason=None,
            in_change=5,
            max_in_change=1,
        ),
        "node-reconciler/west": Controller(
            name="node-reconciler/west",
            leader=None,
            epoch=0,
            paused=True,
            paused_by="ana",
            reason="storm",
            in_change=0,
            max_in_change=1,
        ),
    }
