"""Who is evicted, who never is, and what is said of what does not go."""

from datetime import timedelta

import pytest

from gateway.controllers.node_reconciler.sight import Limits
from gateway.fleet.desired import BlockCause
from gateway.fleet.desired import ReconcilePhase as P
from gateway.fleet.live import Effect, EffectResult
from tests.controllers.site import SEVENTHS, Site

BUDGET = EffectResult(effect=Effect.BUDGET, message="Cannot evict pod: the disruption budget train needs 2")
TWO_BUDGETS = EffectResult(
    effect=Effect.REFUSED, message="This pod has more than one PodDisruptionBudget, which is not supported"
)
WEBHOOK = EffectResult(
    effect=Effect.REFUSED, message='admission webhook "keep.example.com" denied the request'
)
LATER = EffectResult(effect=Effect.LATER, message="too many requests")


async def test_what_was_acknowledged_is_evicted_one_by_one_and_everything_else_stays():
    site = Site()
    pods = [site.hands.bind(name) for name in ("train-0", "train-1")]
    cpu = site.hands.bind("web-0", holds_gpus=False)
    site.ask(acknowledged=[pod.id for pod in pods])

    await site.passes(4)

    label = f"label {SEVENTHS}"
    assert site.hands.done == ["cordon", "evict train-0", "evict train-1", label, "uncordon"]
    assert cpu.uid in site.hands.bound
    assert site.observed().phase is P.CONVERGED


async def test_evictions_follow_each_other_at_once_each_with_a_claim_of_its_own():
    site = Site()
    pods = [site.hands.bind(f"train-{number}") for number in range(8)]
    site.ask(acknowledged=[pod.id for pod in pods])
    await site.until(P.DRAINING)
    before = len(site.ledger.claims)

    await site.loop.turn()

    assert site.hands.done == ["cordon", *(f"evict {pod.name}" for pod in pods)]
    assert len(site.ledger.claims) - before == 8


async def test_a_wish_that_is_withdrawn_between_two_evictions_ends_no_further_pod():
    site = Site()
    pods = [site.hands.bind(name) for name in ("train-0", "train-1")]
    site.ask(acknowledged=[pod.id for pod in pods])
    await site.until(P.DRAINING)
    evict = site.hands.evict

    async def evict_and_withdraw(pod, *, dry_run):
        site.ask(None)
        return await evict(pod, dry_run=dry_run)

    site.hands.evict = evict_and_withdraw
    await site.passes(1)

    assert site.hands.done == ["cordon", "evict train-0", "uncordon"]


async def test_a_pod_that_nobody_acknowledged_keeps_the_node_untouched_and_is_named():
    site = Site()
    pod = site.hands.bind("train-0")
    site.ask()

    await site.passes(2)

    (blocker,) = site.observed().blockers
    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, [])
    assert (blocker.cause, blocker.workload_id) == (BlockCause.WORKLOAD, pod.id)
    assert blocker.name == "training/train-0 holds GPUs and was not acknowledged"


async def test_a_namesake_of_an_acknowledged_pod_is_another_pod():
    site = Site()
    pod = site.hands.bind("train-0")
    site.ask(acknowledged=[pod.id])
    site.hands.end(pod.uid)
    site.hands.bind("train-0")

    await site.passes(2)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, [])


async def test_a_pod_that_nobody_acknowledged_arrives_on_the_cordoned_node_and_stops_the_drain():
    site = Site()
    pod = site.hands.bind("train-0")
    site.ask(acknowledged=[pod.id])
    await site.until(P.CORDONING)
    site.hands.bind("late-0")

    await site.passes(2)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, ["cordon"])
    assert site.observed().blockers[0].name == "training/late-0 holds GPUs and was not acknowledged"


async def test_a_pod_that_arrives_between_the_two_looks_before_the_label_is_seen():
    site = Site()
    site.ask()
    await site.until(P.DRAINING)
    site.time.later(3, lambda: site.hands.bind("late-0"))

    await site.passes(1)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, ["cordon"])


@pytest.mark.parametrize("kind", [{"owner": "DaemonSet/dcgm"}, {"is_mirror": True}])
async def test_a_pod_that_would_be_back_at_once_keeps_the_node_untouched(kind):
    site = Site()
    pod = site.hands.bind("always-0", **kind)
    site.ask(acknowledged=[pod.id])

    await site.passes(1)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, [])
    assert site.observed().message.endswith("it would be back at once")


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (BUDGET, BlockCause.DISRUPTION_BUDGET),
        (TWO_BUDGETS, BlockCause.DISRUPTION_BUDGET),
        (WEBHOOK, BlockCause.ADMISSION),
    ],
)
async def test_an_eviction_that_would_be_refused_keeps_the_node_untouched(answer, cause):
    site = Site()
    pod = site.hands.bind("train-0")
    site.hands.answers["evict train-0"] = answer
    site.ask(acknowledged=[pod.id])

    await site.passes(1)

    (blocker,) = site.observed().blockers
    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, [])
    assert (blocker.cause, blocker.workload_id) == (cause, pod.id)
    assert answer.message in blocker.name


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (BUDGET, BlockCause.DISRUPTION_BUDGET),
        (TWO_BUDGETS, BlockCause.DISRUPTION_BUDGET),
        (WEBHOOK, BlockCause.ADMISSION),
    ],
)
async def test_an_eviction_that_is_refused_three_times_is_told_in_the_servers_words(answer, cause):
    site = Site()
    pods = [site.hands.bind(name) for name in ("train-0", "train-1")]
    site.ask(acknowledged=[pod.id for pod in pods])
    await site.until(P.CORDONING)
    site.hands.answers["evict train-0"] = answer

    await site.until(P.BLOCKED)

    (blocker,) = site.observed().blockers
    assert (blocker.cause, blocker.workload_id) == (cause, pods[0].id)
    assert blocker.name == f"training/train-0: {answer.message}"
    assert site.hands.done == ["cordon", "evict train-1"]


async def test_a_budget_that_gives_way_lets_the_change_go_on():
    site = Site()
    pod = site.hands.bind("train-0")
    site.ask(acknowledged=[pod.id])
    await site.until(P.CORDONING)
    site.hands.answers["evict train-0"] = BUDGET
    await site.until(P.BLOCKED)
    await site.passes(2)
    assert site.observed().phase is P.BLOCKED

    site.hands.answers.clear()
    await site.passes(4)

    assert site.observed().phase is P.CONVERGED


async def test_a_server_that_asks_for_patience_is_asked_again_and_is_in_nobodys_way():
    site = Site()
    pod = site.hands.bind("train-0")
    site.ask(acknowledged=[pod.id])
    await site.until(P.CORDONING)
    site.hands.answers["evict train-0"] = LATER

    await site.passes(5)

    assert (site.observed().phase, site.observed().blockers) == (P.DRAINING, ())


async def test_a_finalizer_is_waited_for_until_the_drain_is_given_up_and_the_node_given_back():
    site = Site()
    pod = site.hands.bind("train-0", finalizers=("example.com/keep",))
    site.ask(acknowledged=[pod.id])

    await site.passes(29)
    assert (site.observed().phase, site.node.unschedulable) == (P.DRAINING, True)
    await site.passes(4)

    (blocker,) = site.observed().blockers
    assert (site.observed().phase, site.node.unschedulable) == (P.BLOCKED, False)
    assert (blocker.cause, blocker.workload_id) == (BlockCause.FINALIZER, pod.id)
    assert site.hands.done == ["cordon", "evict train-0", "uncordon"]
    assert site.observed().message == (
        "given up after 30 minutes, ask again to try again: training/train-0 is kept by example.com/keep"
    )


async def test_what_was_given_up_is_left_alone_until_somebody_asks_again():
    site = Site(limits=Limits(drain_timeout=timedelta(minutes=5)))
    pod = site.hands.bind("train-0", finalizers=("example.com/keep",))
    site.ask(acknowledged=[pod.id])
    await site.passes(60)
    assert site.hands.done == ["cordon", "evict train-0", "uncordon"]

    site.hands.end(pod.uid)
    await site.passes(5)
    assert site.observed().phase is P.BLOCKED
    site.ledger.ask("gpu-01")
    await site.passes(5)

    assert site.observed().phase is P.CONVERGED


async def test_a_pod_that_does_not_end_in_time_is_named():
    site = Site(limits=Limits(drain_timeout=timedelta(minutes=5)))
    pod = site.hands.bind("train-0")
    site.ask(acknowledged=[pod.id])
    await site.until(P.CORDONING)
    site.hands.answers["evict train-0"] = LATER

    await site.passes(8)

    assert site.observed().blockers[0].name == "training/train-0 has not ended"
    assert not site.node.unschedulable
