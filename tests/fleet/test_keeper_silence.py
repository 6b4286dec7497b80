from datetime import timedelta

import pytest

from gateway.errors import System
from gateway.fleet.merge import RECORDS
from gateway.fleet.platform import Target
from gateway.fleet.source import SourceState
from gateway.fleet.unknown import Unknown, UnknownCode
from tests.builders import (
    NOON,
    a_job,
    a_node,
    a_pod,
    a_queue,
    a_record,
    a_slurm_node,
    some_records,
)
from tests.fleets import (
    FRESH,
    NEVER,
    NODES,
    POD_GROUPS,
    PODS,
    QUEUES,
    SLURM_JOBS,
    SLURM_NODES,
    VERSION,
    Hands,
    a_keeper,
)
from tests.gpu_labels import GPU

LATER = timedelta(minutes=11)


def names(found):
    return sorted(name for _, name in found)


WHO = {
    NODES: System.KUBERNETES,
    PODS: System.KUBERNETES,
    RECORDS: System.PLATFORM,
    QUEUES: System.QUEUES,
    SLURM_NODES: System.SLURM,
    SLURM_JOBS: System.SLURM,
}


def everything(clock=None):
    return a_keeper(
        [a_node("a"), a_node("b")],
        [a_pod(node="a")],
        some_records([a_record("a"), a_record("s-1", Target.SLURM), a_record("gone")]),
        slurm_nodes=[a_slurm_node("s-1")],
        jobs=[a_job("1", {"s-1": 8})],
        queues=[a_queue(allocated={GPU: "1"})],
        clock=clock,
    )


def what_is_known(fleet):
    """The names of what answers, and what does not."""
    seen = {
        "nodes": fleet.nodes("fleet"),
        "pods": fleet.pods("fleet"),
        "queues": fleet.queues("fleet"),
        "jobs": fleet.slurm_jobs("fleet"),
    }
    return {
        key: sorted(n for *_, n in map(_name, one))
        for key, one in seen.items()
        if not isinstance(one, Unknown)
    }


def _name(key):
    return key if isinstance(key, tuple) else ("job", key.job_id)


ALL = {
    "nodes": ["a", "b", "gone", "s-1"],
    "pods": ["work-0"],
    "queues": ["training"],
    "jobs": ["1"],
}
SILENT = {
    NODES: {"pods": ["work-0"], "queues": ["training"], "jobs": ["1"]},
    PODS: {key: ALL[key] for key in ("nodes", "queues", "jobs")},
    RECORDS: {**{key: ALL[key] for key in ("pods", "queues", "jobs")}, "nodes": ["a", "b", "s-1"]},
    QUEUES: {key: ALL[key] for key in ("nodes", "pods", "jobs")},
    SLURM_NODES: ALL,
    SLURM_JOBS: {key: ALL[key] for key in ("nodes", "pods", "queues")},
}


def test_a_listing_that_grew_too_old_is_withheld_until_it_is_heard_of():
    clock = Hands()
    keeper = a_keeper([a_node("a")], [a_pod(node="a")], clock=clock)
    before = keeper.pin().node("fleet", "a")

    clock.now = NOON + LATER
    withheld = keeper.pin()
    for key in (*WHO, VERSION):
        keeper.touch(key, FRESH.succeeded(clock.now))
    back = keeper.pin()

    assert withheld.nodes("fleet").code is UnknownCode.SOURCE_STALE
    assert withheld.nodes("fleet").observed_at == NOON
    assert withheld.node("fleet", "a") is None
    assert names(back.nodes("fleet")) == ["a"]
    assert back.node("fleet", "a") == before


def test_an_old_value_is_shown_until_it_is_too_old():
    clock = Hands()
    keeper = a_keeper([a_node("a")], clock=clock)
    keeper.touch(NODES, FRESH.failed(NOON, "connection refused"))
    clock.now = NOON + timedelta(minutes=9)
    fleet = keeper.pin()

    assert names(fleet.nodes("fleet")) == ["a"]
    assert {one.name: one.state for one in fleet.sources}["kubernetes/fleet/nodes"] is SourceState.STALE


def test_the_reason_of_a_silence_is_the_last_that_was_told():
    keeper = a_keeper()
    keeper.touch(NODES, NEVER)
    first = keeper.pin().nodes("fleet")
    keeper.touch(NODES, NEVER.failed(NOON, "connection refused"))
    second = keeper.pin().nodes("fleet")
    keeper.touch(NODES, NEVER.failed(NOON, "the token was turned down", retryable=False))
    third = keeper.pin().nodes("fleet")

    assert first.reason == "kubernetes/fleet/nodes was never reached"
    assert second.reason == "kubernetes/fleet/nodes was never reached: connection refused"
    assert (second.retryable, third.retryable) == (True, False)
    assert third.reason.endswith("the token was turned down")


def test_all_answers_while_nobody_is_silent():
    assert what_is_known(everything().pin()) == ALL


@pytest.mark.parametrize("key", SILENT, ids=str)
def test_a_source_that_was_lost_withholds_its_lists_and_no_other(key):
    clock = Hands()
    keeper = everything(clock)
    clock.now = NOON + LATER
    for other in {*WHO, VERSION, POD_GROUPS} - {key}:
        keeper.touch(other, FRESH.succeeded(clock.now))
    fleet = keeper.pin()

    assert list(fleet.silences) == [key]
    assert fleet.silences[key].code is UnknownCode.SOURCE_STALE
    assert fleet.silences[key].system is WHO[key]
    assert what_is_known(fleet) == SILENT[key]


def test_a_silent_slurm_that_was_never_reached_leaves_kubernetes_whole():
    keeper = a_keeper(
        [a_node("a")], [a_pod(node="a")], some_records([a_record("a"), a_record("s-1", Target.SLURM)])
    )
    keeper.touch(SLURM_NODES, NEVER)
    keeper.touch(SLURM_JOBS, NEVER)
    fleet = keeper.pin()

    node, island = fleet.node("fleet", "a"), fleet.node("fleet", "s-1")
    assert (node.gpus.cards, node.health.usable_cards, node.busy) == (8, 8, True)
    assert island.known_to == (System.PLATFORM,)
    assert island.slurm == island.gpus == fleet.slurm_silence("fleet")
    assert island.busy.system is System.SLURM


def test_silent_records_leave_nodes_listed_with_their_cards():
    keeper = everything()
    keeper.touch(RECORDS, NEVER)
    node = keeper.pin().node("fleet", "a")

    assert node.record.system is System.PLATFORM
    assert (node.known_to, node.gpus.cards, node.health.usable_cards) == ((System.KUBERNETES,), 8, 8)
