"""Nodes that do not get further: each says so, and says it once, however long it lasts."""

from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.errors import SourceUnavailable, System
from gateway.fleet.desired import ReconcilePhase as P
from gateway.fleet.live import HOLD, MIG_CONFIG, Effect, EffectResult
from tests.controllers.site import Site

SILENT = SourceUnavailable(System.KUBERNETES, "cluster fleet does not answer")


def answers(what, effect):
    def begin(site, _):
        site.hands.answers[what] = EffectResult(effect=effect, message=f"no {what}")

    return begin


def is_silent(what):
    def begin(site, _):
        async def silent(*_, **__):
            raise SILENT

        setattr(site.hands, what, silent)

    return begin


def manager_says(*words):
    return lambda site, _: setattr(site.manager, "says", list(words))


def is_held(site, _):
    site.node.annotations[HOLD] = "ada: a fan"


def is_paused(site, _):
    site.election.paused_by = "ada"


def is_not_ready(site, _):
    site.node.ready = False


def loses_its_label(site, _):
    del site.node.labels[MIG_CONFIG]
    site.node.label_owners.clear()


def keeps_its_pod(site, pod):
    site.hands.bound[pod.uid] = replace(pod, finalizers=("example.com/keep",))


STUCK = {
    "evictions are put off": (P.DRAINING, answers("evict train-0", Effect.LATER), "given up", False),
    "evictions are not answered": (P.DRAINING, is_silent("evict"), "given up", False),
    "a budget forbids it": (P.DRAINING, answers("evict train-0", Effect.BUDGET), "given up", False),
    "a finalizer keeps it": (None, keeps_its_pod, "given up", False),
    "the node moves each time": (None, answers("cordon", Effect.MOVED), "given up", False),
    "a conflict over the cordon": (None, answers("cordon", Effect.CONFLICT), "given up", False),
    "the cordon is not answered": (None, is_silent("cordon"), "given up", False),
    "its kubelet is dead": (P.DRAINING, is_not_ready, "given up", False),
    "it cannot be read": (None, is_silent("node"), "cluster fleet does not answer", False),
    "a person holds it": (P.DRAINING, is_held, "annotation gpu-gateway/hold: ada: a fan", True),
    "the lease is paused": (P.DRAINING, is_paused, "every effect is stopped by ada", True),
    "the label is not answered": (None, is_silent("label"), "cluster fleet does not answer", True),
    "the label is taken away": (P.APPLYING, loses_its_label, "somebody took the label", True),
    "the manager stays pending": (
        None,
        manager_says("pending"),
        "the MIG manager is at work (pending)",
        True,
    ),
    "the manager says nothing": (None, manager_says(), "the MIG manager says nothing yet since", True),
    "the manager fails": (None, manager_says("failed"), "the MIG manager says failed", True),
    "giving back is not answered": (None, is_silent("give_back"), "cluster fleet does not answer", True),
    "giving back conflicts": (None, answers("uncordon", Effect.CONFLICT), "no uncordon", True),
}


@pytest.mark.parametrize(("moment", "begin", "says", "is_cordoned"), STUCK.values(), ids=STUCK)
async def test_a_node_that_is_stuck_says_why_and_writes_no_more_of_it(moment, begin, says, is_cordoned):
    site = Site()
    pod = site.hands.bind("train-0")
    site.ask(acknowledged=[pod.id])
    if moment:
        await site.until(moment)
    begin(site, pod)
    await site.passes(60)
    told = site.ledger.wish("gpu-01")

    await site.passes(60)

    assert site.ledger.wish("gpu-01") == told
    assert told.observed.phase in {P.BLOCKED, P.FAILED}
    assert told.observed.message.startswith(says)
    assert site.node.unschedulable == is_cordoned
    assert told.observed.changed_at - told.desired.changed_at < timedelta(hours=1)


async def test_a_held_node_is_given_back_once_it_is_let_go_however_long_it_was_held():
    site = Site()
    pod = site.hands.bind("train-0", finalizers=("example.com/keep",))
    site.ask(acknowledged=[pod.id])
    await site.until(P.DRAINING)
    is_held(site, pod)
    await site.passes(60)
    del site.node.annotations[HOLD]

    await site.passes(2)

    assert (site.observed().phase, site.node.unschedulable) == (P.BLOCKED, False)


async def test_a_process_outlives_a_day_without_an_answer():
    site = Site()
    site.ask()
    is_silent("node")(site, None)

    await site.passes(24 * 60, every=300)

    assert site.observed().message == "cluster fleet does not answer"
