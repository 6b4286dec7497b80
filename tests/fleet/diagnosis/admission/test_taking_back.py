import pytest

from gateway.fleet.diagnosis.diagnosis import StepOutcome
from tests.fleet.diagnosis.admission.queues import a_group, a_queue, judged, running, said, waiting
from tests.gpu_labels import GPU
from tests.scheduling import a_config, a_scheduler

PASS, WARN = StepOutcome.PASS, StepOutcome.WARN


def lent(**more):
    """Another queue holds all eight cards."""
    return a_queue("other", {GPU: "8"}, **more)


HOLDS = [running("holds", 8)]


@pytest.mark.parametrize(
    ("queue", "words"),
    [
        (a_queue(), "queue training takes nothing back: it deserves nothing"),
        (
            a_queue(held={GPU: "2"}, deserved={GPU: "4"}),
            f"queue training takes nothing back: it holds 2 of 4 {GPU} that it deserves",
        ),
    ],
)
def test_says_what_a_queue_takes_back_no_more(queue, words):
    groups = [a_group(), a_group("other", "other", "Running")]

    assert said(judged(groups, [queue, lent()], others=HOLDS)) == (WARN, None, words)


def test_says_that_nothing_is_ever_taken_back():
    groups = [a_group(), a_group("other", "other", "Running")]
    scheduler = a_scheduler(config=a_config(actions=("enqueue", "allocate")))

    step = judged(groups, [a_queue(deserved={GPU: "8"}), lent()], others=HOLDS, scheduler=scheduler)

    assert step.outcome is WARN
    assert "reclaim is not among the actions" in step.finding


def test_says_who_takes_nothing_back_whatever_its_queue_deserves():
    queues = [a_queue(deserved={GPU: "8"}), lent(deserved={GPU: "1"})]
    groups = [a_group(phase="Running"), a_group("other", "other", "Running")]
    first = running("first", 1, group="gang")

    more = judged(groups, queues, others=[*HOLDS, first])
    assert more.finding == "its gang runs already, and then takes nothing back for more pods of it"
    polite = judged([a_group(), groups[1]], queues, others=HOLDS, pod=waiting(preempts=False))
    assert polite.finding == "its preemptionPolicy is Never: nobody is evicted for it"
    assert judged([a_group(), groups[1]], queues, others=HOLDS).outcome is PASS


def test_nothing_is_to_be_taken_back_where_nothing_is_short_or_nobody_else_holds_it():
    groups = [a_group(), a_group("other", "other", "Running")]
    tainted = waiting(said="0/1 nodes are unavailable: 1 node(s) had untolerated taint(s).")

    assert judged(groups, [a_queue(), lent()], others=HOLDS, pod=tainted).outcome is PASS
    assert judged(groups, [a_queue(), a_queue("other")]).outcome is PASS
