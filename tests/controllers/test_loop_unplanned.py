"""What goes wrong between two steps: refusals of the last one, faults after an effect, clocks, silence."""

from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.errors import SourceUnavailable, System
from gateway.fleet.desired import BlockCause, Controller, reconciler_of
from gateway.fleet.desired import ReconcilePhase as P
from gateway.fleet.live import Effect, EffectResult
from gateway.fleet.merge import RECORDS
from tests.builders import CLUSTER, a_record, some_records
from tests.controllers.site import HALVES, Site
from tests.fleets import FRESH

TWO = ("gpu-01", "gpu-02")
FAULT = ZeroDivisionError("nobody foresaw this")
SILENT = SourceUnavailable(System.KUBERNETES, "cluster fleet does not answer")
REFUSED = EffectResult(effect=Effect.REFUSED, message="no rights to patch nodes")


def fails_after(site, act, error):
    """Have an effect be carried out, and its answer be lost."""
    carried_out = getattr(site.hands, act)

    async def lost(*asked):
        await carried_out(*asked)
        raise error

    setattr(site.hands, act, lost)


def out_of_service(site):
    return [name for name, node in site.hands.nodes.items() if node.unschedulable]


async def reached(site):
    await site.passes(1)


async def withdrawn(site):
    await site.until(P.DRAINING)
    site.ask(None)


async def given_up(site):
    pod = site.hands.bind("train-0", finalizers=("example.com/keep",))
    site.ask(acknowledged=[pod.id])
    await site.until(P.DRAINING)


@pytest.mark.parametrize("end", [reached, withdrawn, given_up])
async def test_a_cordon_that_cannot_be_given_back_counts_as_out_of_service_however_the_change_ended(end):
    site = Site(*TWO)
    site.hands.answers["uncordon"] = REFUSED
    site.ask()
    await end(site)
    site.ask(HALVES, node="gpu-02")

    await site.passes(45)

    assert out_of_service(site) == ["gpu-01"]
    assert "1 in change at a time: gpu-01" in site.observed("gpu-02").message
    assert REFUSED.message in site.observed().message

    site.hands.answers.clear()
    await site.passes(10)
    assert (out_of_service(site), site.observed("gpu-02").phase) == ([], P.CONVERGED)


@pytest.mark.parametrize("error", [FAULT, SILENT])
async def test_that_a_label_may_be_set_is_not_forgotten_when_its_answer_was_lost(error):
    site = Site()
    site.manager.says = ["pending"]
    site.ask()
    await site.until(P.DRAINING)
    fails_after(site, "label", error)
    await site.passes(3)
    assert site.ledger.wish("gpu-01").progress.unverified

    site.ask(None)
    await site.passes(5)

    assert (site.observed().phase, site.node.unschedulable) == (P.BLOCKED, True)
    assert (
        site.observed().message
        == "the MIG manager says pending of all-1g.10gb: the cordon stays until it succeeds"
    )


async def test_a_third_answer_that_is_lost_takes_nothing_back_of_what_was_claimed_before_it():
    site = Site()
    site.ask()
    await site.until(P.DRAINING)
    site.hands.fails["gpu-01"] = SILENT
    await site.passes(0.4)
    site.hands.fails.clear()
    fails_after(site, "label", SILENT)
    await site.passes(0.5)
    assert (site.observed().phase, site.observed().message) == (P.BLOCKED, str(SILENT))

    assert site.ledger.wish("gpu-01").progress.unverified


async def test_a_fault_while_only_a_cordon_is_asked_for_is_told_once_and_nothing_more_is_done():
    site = Site()
    site.ledger.ask("gpu-01", cordoned=True)
    site.hands.fails["gpu-01"] = FAULT
    await site.passes(2)
    site.hands.fails.clear()
    await site.passes(2)
    assert [claim.phase for claim in site.ledger.claims] == [P.FAILED]
    assert site.hands.done == []

    site.ledger.ask("gpu-01", cordoned=True)
    await site.passes(1)

    assert (site.observed().phase, site.node.unschedulable) == (P.CONVERGED, True)


async def test_a_pause_on_the_lease_holds_without_a_word_of_who_set_it():
    site = Site()
    site.ask()
    site.election.paused_by = ""

    await site.passes(1)

    (blocker,) = site.observed().blockers
    assert (site.hands.done, blocker.cause, blocker.name) == ([], BlockCause.PAUSED, "somebody")


async def test_a_cluster_that_is_paused_is_not_looked_at_and_goes_on_when_it_is_not():
    site = Site()
    site.ask()
    tell_of_pause(site, by="ada")
    site.hands.fails["gpu-01"] = FAULT
    await site.passes(10)
    assert site.ledger.claims == []
    assert site.election.asked > 100  # it still leads

    site.hands.fails.clear()
    tell_of_pause(site, by=None)
    await site.passes(5)

    assert site.observed().phase is P.CONVERGED


def tell_of_pause(site, by):
    name = reconciler_of(CLUSTER)
    held = Controller(
        name=name,
        leader="pod-a",
        epoch=1,
        paused=by is not None,
        paused_by=by,
        reason=None,
        in_change=0,
        max_in_change=1,
    )
    records = replace(some_records([a_record("gpu-01")]), controllers={name: held})
    site.keeper.replace(RECORDS, {"records": records}, FRESH.succeeded(site.time()))


async def test_what_a_stuck_node_is_told_to_be_does_not_change_with_each_minute_that_it_is_stuck():
    site = Site()
    site.manager.says = ["pending"]
    site.ask()
    await site.passes(40)
    told = len(site.ledger.claims)
    assert site.observed().message.startswith("the MIG manager is at work (pending) since 12:00 UTC")

    await site.passes(60)

    assert len(site.ledger.claims) == told


async def test_a_clock_that_is_set_back_keeps_no_blocked_node_waiting_for_it():
    site = Site()
    pod = site.hands.bind("train-0")
    site.ask()
    await site.passes(2)
    site.hands.end(pod.uid)
    site.time.now -= timedelta(hours=1)

    await site.passes(0.2)

    assert site.node.unschedulable


async def test_a_mig_manager_that_was_started_anew_is_not_started_anew_again_though_the_answer_was_lost():
    site = Site()
    site.manager.says = []
    site.ask()
    await site.until(P.APPLYING)
    fails_after(site, "delete", SILENT)

    await site.passes(10)

    assert site.hands.done == ["cordon", "label all-1g.10gb", "delete nvidia-mig-manager"]


async def test_giving_back_a_cordon_does_not_wait_for_what_only_a_layout_needs():
    site = Site()
    site.ask()
    await site.until(P.DRAINING)

    async def silent(*_):
        raise SILENT

    site.hands.layouts = site.hands.operands = site.hands.pods = silent
    site.ask(None)
    await site.passes(1)

    assert (site.observed().phase, site.node.unschedulable) == (P.CONVERGED, False)
