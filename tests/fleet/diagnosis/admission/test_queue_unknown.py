"""What is not known of amounts is never 0: a queue is then not judged."""

from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.diagnosis.admission.queue import check_queue
from gateway.fleet.diagnosis.diagnosis import StepOutcome
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.unknown import undetermined
from tests.builders import a_node
from tests.fleet.diagnosis.admission.queues import (
    TREE,
    a_cluster,
    a_group,
    a_queue,
    judged,
    roomy,
    running,
    waiting,
)
from tests.fleets import NEVER, NODES
from tests.gpu_labels import GPU

UNREAD = undetermined(System.KUBERNETES, "lots is no amount")
LEAST = {GPU: 4}
LIMITED = a_queue(capability={GPU: 8})


def unread(thing):
    """The same, asking for what nobody can read."""
    return replace(thing, requests=thing.requests.set(GPU, UNREAD))


def at_the_gate(**more):
    return a_group(phase="Pending", least=LEAST, **more)


LARGE = roomy(a_node("gpu-02"))
ODD = replace(LARGE, allocatable=LARGE.allocatable.set(GPU, UNREAD))


@pytest.mark.parametrize(
    ("groups", "queue", "more"),
    [
        ([at_the_gate()], a_queue(), {"nodes": [LARGE, ODD]}),
        ([at_the_gate()], a_queue(), {"others": [unread(running("odd", 1))]}),
        ([a_group(phase="Pending", least={GPU: "lots"})], LIMITED, {}),
        ([at_the_gate(), a_group("odd", least={GPU: "lots"})], a_queue(), {}),
        ([at_the_gate(), a_group("odd", least={GPU: "lots"})], LIMITED, {}),
        ([at_the_gate(), a_group("other")], LIMITED, {"others": [unread(running("odd", 1))]}),
        ([a_group()], LIMITED, {"pod": unread(waiting())}),
        ([a_group()], replace(LIMITED, allocated=None), {}),
        ([a_group()], a_queue(held={GPU: "lots"}, capability={GPU: 8}), {}),
    ],
)
def test_is_not_judged(groups, queue, more):
    step = judged(groups, [queue], scheduler=TREE, **more)

    assert (step.outcome, step.code) == (StepOutcome.UNKNOWN, None)
    assert "lots" in step.finding or "does not say what is allocated" in step.finding


def test_nodes_that_are_silent_do_not_have_nothing():
    keeper = a_cluster([waiting()], [at_the_gate()], [a_queue()], scheduler=TREE)
    keeper.replace(NODES, {}, NEVER)

    assert check_queue(waiting(), keeper.pin()).outcome is StepOutcome.UNKNOWN


def test_what_no_node_has_is_asked_for_in_vain():
    pod = waiting(asks={"amd.com/gpu": "1"})

    step = judged([a_group(phase="Pending", least={"amd.com/gpu": 1})], [a_queue()], pod=pod)

    assert step.code is PendingCode.INSUFFICIENT_RESOURCE
    assert step.finding.endswith("since no node of the cluster has any amd.com/gpu")
    assert [one.text for one in step.remedies] == ["ask for something else than amd.com/gpu"]
