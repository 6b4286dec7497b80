import pytest

from gateway.errors import System
from gateway.fleet.alert import RemedyAction
from gateway.fleet.diagnosis.admission.queue import check_queue
from gateway.fleet.diagnosis.diagnosis import StepOutcome
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.source import SourceKey
from tests.builders import a_node, a_workspace, some_records
from tests.fleet.diagnosis.admission.events import an_event
from tests.fleet.diagnosis.admission.queues import (
    FLAT,
    TREE,
    a_cluster,
    a_group,
    a_queue,
    judged,
    roomy,
    running,
    said,
    waiting,
)
from tests.fleets import FRESH
from tests.gpu_labels import GPU
from tests.scheduling import a_config, a_scheduler

PASS, FAIL, UNKNOWN = StepOutcome.PASS, StepOutcome.FAIL, StepOutcome.UNKNOWN
FULL, LIMIT = PendingCode.QUEUE_FULL, PendingCode.ENQUEUE_LIMIT


def test_the_parents_of_a_queue_limit_it_too():
    queues = [a_queue(parent_name="lab"), a_queue("lab", {GPU: "6"}, capability={GPU: 8})]

    over = f"its parent queue lab may hold 8 {GPU}: 6 are held, 4 more are asked for"
    assert said(judged([a_group()], queues, scheduler=TREE)) == (FAIL, FULL, over)
    assert judged([a_group()], queues).outcome is PASS  # where queues have no parents


def test_what_was_let_in_counts_at_the_gate():
    groups = [a_group(phase="Pending", least={GPU: 4}), a_group("big", least={GPU: 5})]
    over = f"queue training may hold 8 {GPU}: 5 are held or promised, 4 more are asked for"

    step = judged(groups, [a_queue(capability={GPU: 8})], scheduler=TREE)

    assert said(step) == (FAIL, FULL, over)


def test_what_a_group_holds_beyond_its_least_can_be_taken_from_it_at_the_gate():
    groups = [a_group(phase="Pending", least={GPU: 4}), a_group("other", phase="Running", least={GPU: 1})]
    queue = a_queue(held={GPU: "6"}, capability={GPU: 8})

    step = judged(groups, [queue], others=[running("holds", 6)])

    assert FULL is not step.code  # 6 held, 5 of them elastic, 4 asked
    assert "all queues together" in step.finding


@pytest.mark.parametrize(
    ("others", "outcome"),
    [((running("holds", 5),), PASS), ((running("holds", 5), running("leaves", 1, terminating=True)), FAIL)],
)
def test_all_queues_together_may_hold_a_fifth_more_than_there_is(others, outcome):
    """Eight cards, so 9.6: pods of other schedulers count, and those that are leaving."""
    step = judged([a_group(phase="Pending", least={GPU: 4})], [a_queue()], others=others)

    assert (step.outcome is FAIL) is (outcome is FAIL)
    assert step.code is (LIMIT if outcome is FAIL else None)


def test_what_no_queue_could_ever_place_takes_the_room_of_others():
    groups = [a_group(phase="Pending", least={GPU: 2}), a_group("huge", "research", least={GPU: 8})]

    step = judged(groups, [a_queue(), a_queue("research")])

    assert step.code is LIMIT
    assert "0 are in use, 8 are let in and not placed, 2 more are asked for" in step.finding
    assert "training/huge" in step.remedies[1].text


def test_both_limits_are_told_where_both_are_reached():
    groups = [a_group(phase="Pending", least={GPU: 10})]

    step = judged(groups, [a_queue(capability={GPU: 9})])

    assert step.code is FULL
    assert "may hold 9" in step.finding
    assert "all queues together may hold 9.6" in step.finding


def test_a_cluster_that_shrank_is_not_a_full_queue():
    """Four nodes of eight, of which one lost a card."""
    nodes = [roomy(a_node(f"gpu-{at:02}", capacity={GPU: 8})) for at in (2, 3, 4)]
    nodes.append(roomy(a_node("gpu-01", capacity={GPU: 8}, allocatable={GPU: 7})))
    queue = a_queue(held={GPU: "16"}, capability={GPU: 32})

    step = judged([a_group(phase="Pending", least={GPU: 16})], [queue], nodes=nodes)

    assert step.code is FULL
    assert step.finding == (
        f"queue training may hold no more than the cluster's 31 {GPU} (of 32 that its nodes have): "
        "16 are held or promised, 16 more are asked for"
    )
    assert [(one.action, one.text) for one in step.remedies] == [
        (RemedyAction.REPAIR_NODE, f"bring back the {GPU} that gpu-01 has and does not offer"),
        (RemedyAction.FREE_WORKLOADS, f"or end work of queue training that holds 1 {GPU}"),
    ]


def test_the_root_was_full_in_releases_of_old():
    queues = [a_queue(), a_queue("root", {GPU: "6"}, parent_name=None)]
    groups, old = [a_group(phase="Pending", least={GPU: 3})], a_scheduler("v1.13.0", a_config(hierarchy=True))

    assert judged(groups, queues, scheduler=old).finding.startswith("queue root may hold no more than the")
    assert judged(groups, queues, scheduler=TREE).outcome is UNKNOWN


def test_a_queue_counts_against_work_that_asks_for_none_of_what_it_has_too_much_of():
    """Some releases did: the numbers alone do not tell, the scheduler does."""
    pod = waiting(asks={"cpu": "1"})
    message = f"queue resource quota insufficient: insufficient {GPU}"
    groups, queue = [a_group(phase="Pending", least={"cpu": "1"})], a_queue(held={GPU: "16"})

    step = judged(groups, [queue], pod=pod, events=[an_event("PodGroup", "gang", "Unschedulable", message)])

    assert (step.outcome, step.code) == (FAIL, FULL)
    assert step.finding.endswith(f"{message}; it asks for no {GPU}, its queue holds too much of it")


def test_without_a_plugin_that_holds_queues_to_it_a_capability_is_none():
    scheduler = a_scheduler(config=a_config(share_plugin=None))

    assert judged([a_group()], [a_queue(capability={GPU: 1})], scheduler=scheduler).outcome is PASS


def test_a_queue_is_given_more_by_who_gave_its_workspace_its_cards():
    workspace = a_workspace()
    keeper = a_cluster([waiting()], [a_group()], [a_queue(capability={GPU: 3})], scheduler=FLAT)
    keeper.replace(
        SourceKey(System.PLATFORM, "", "records"), {"records": some_records((), [workspace])}, FRESH
    )

    step = check_queue(waiting(), keeper.pin())

    given = next(one for one in step.remedies if one.action is RemedyAction.RAISE_ALLOCATION)
    assert (given.subject, given.text) == (
        workspace.id,
        f"or give workspace training of vision 1 {GPU} more",
    )
