"""What stops the reconciler: a pause, another leader, silence, refusals."""

import asyncio
from itertools import pairwise

import pytest

from gateway.errors import SourceRefused, SourceUnavailable, System
from gateway.fleet.desired import BlockCause
from gateway.fleet.desired import ReconcilePhase as P
from gateway.fleet.live import HOLD, Effect, EffectResult
from tests.controllers.site import HALVES, Site
from tests.fakes.hands import MOVED
from tests.fleets import NEVER, NODES

TWO, THREE = ("gpu-01", "gpu-02"), ("gpu-01", "gpu-02", "gpu-03")

FAULT = ZeroDivisionError("nobody foresaw this")
SILENT = SourceUnavailable(System.KUBERNETES, "cluster fleet does not answer")


async def test_a_silent_system_is_waited_for_twice_as_long_each_time():
    site = Site()
    site.ask()
    site.hands.fails["gpu-01"] = SILENT
    looks = []
    read = site.hands.pods

    async def pods(node):
        looks.append(site.time())
        return await read(node)

    site.hands.pods = pods
    await site.passes(4)

    waited = [(after - before).total_seconds() for before, after in pairwise(sorted(set(looks)))]
    assert waited[:4] == [10, 20, 40, 60]

    site.hands.fails.clear()
    await site.passes(5)
    assert site.observed().phase is P.CONVERGED


async def test_a_node_that_cannot_be_read_does_not_keep_others_waiting():
    site = Site(*TWO)
    site.ask()
    site.ask(HALVES, node="gpu-02")
    site.hands.fails["gpu-01"] = SourceRefused(System.KUBERNETES, "nodes gpu-01 is forbidden")

    await site.passes(4)

    assert site.observed("gpu-02").phase is P.CONVERGED


async def test_what_cannot_be_read_is_told_after_three_tries_and_the_change_goes_on_when_it_can():
    site = Site()
    site.ask()
    site.hands.fails["gpu-01"] = SourceRefused(System.KUBERNETES, "nodes gpu-01 is forbidden")
    await site.passes(0.4)
    assert site.ledger.wish("gpu-01").observed is None
    await site.passes(3)
    assert (site.observed().phase, site.observed().message) == (P.BLOCKED, "nodes gpu-01 is forbidden")

    site.hands.fails.clear()
    await site.passes(5)

    assert site.observed().phase is P.CONVERGED


async def test_the_loop_waits_for_a_silent_database_and_goes_on():
    site = Site()
    site.ask()
    site.ledger.fails = SourceUnavailable(System.PLATFORM, "no answer")
    site.time.later(100, lambda: setattr(site.ledger, "fails", None))
    site.time.later(400, site.stop)

    await site.runs()

    assert (site.observed().phase, site.election.resigned) == (P.CONVERGED, True)


async def test_without_a_fleet_that_tells_of_nodes_nothing_is_decided():
    site = Site()
    site.ask()
    site.keeper.touch(NODES, NEVER)

    await site.loop.turn()

    assert site.ledger.wish("gpu-01").observed is None


async def test_the_lease_is_renewed_before_each_node_however_long_a_turn_takes():
    site = Site(*TWO)
    for name in TWO:
        site.ask(node=name)
        site.hands.nodes[name].annotations[HOLD] = ""
    await site.passes(1)
    before = site.election.asked

    await site.time.sleep(40)
    await site.loop.turn()

    assert site.election.asked - before == 3


async def test_who_does_not_lead_does_nothing():
    site = Site()
    site.ask()
    site.election.leads = False

    await site.passes(2)

    assert (site.ledger.claims, site.hands.done) == ([], [])


async def test_a_pause_of_the_controller_stops_every_effect_the_uncordon_too():
    site = Site()
    site.ask()
    await site.until(P.APPLYING)
    site.ledger.paused = True
    done = list(site.hands.done)
    await site.passes(10)
    assert (site.hands.done, site.node.unschedulable) == (done, True)

    site.ledger.paused = False
    await site.passes(5)

    assert site.observed().phase is P.CONVERGED


async def test_a_pause_on_the_lease_stops_every_effect_and_says_by_whom():
    site = Site()
    site.ask()
    await site.until(P.DRAINING)
    site.election.paused_by = "ada"
    await site.passes(3)
    (blocker,) = site.observed().blockers
    assert (blocker.cause, blocker.name) == (BlockCause.PAUSED, "ada")
    assert site.hands.done == ["cordon"]

    site.election.paused_by = None
    await site.passes(5)

    assert site.observed().phase is P.CONVERGED


async def test_nothing_is_begun_that_may_not_end_within_the_lease():
    site = Site()
    site.ask()
    site.election.left_seconds = 0.5

    await site.passes(1)

    assert (site.observed().phase, site.hands.done) == (P.CORDONING, [])


async def test_the_lead_is_lost_between_claim_and_effect_and_nothing_is_done():
    site = Site()
    site.ask()
    claim = site.ledger.claim

    async def claim_and_lose(one):
        held = await claim(one)
        site.election.leads = False
        return held

    site.ledger.claim = claim_and_lose
    await site.passes(1)

    assert (site.observed().phase, site.hands.done) == (P.CORDONING, [])


async def test_an_older_leaders_claims_are_refused_until_it_begins_an_epoch_of_its_own():
    site = Site()
    site.ask()
    await site.until(P.DRAINING)
    await site.ledger.lead("node-reconciler/fleet", "pod-b", 1)
    done = list(site.hands.done)
    await site.passes(0.5)
    assert site.hands.done == done

    await site.passes(5)

    assert site.observed().phase is P.CONVERGED


async def test_the_lead_is_lost_while_looking_and_nothing_is_claimed():
    site = Site()
    site.ask()
    read = site.hands.node

    async def read_and_lose(name):
        site.election.leads = False
        return await read(name)

    site.hands.node = read_and_lose
    await site.passes(1)

    assert (site.ledger.claims, site.hands.done) == ([], [])


async def test_an_effect_that_is_not_answered_in_time_is_waited_for_and_not_taken_for_done(caplog):
    site = Site()
    site.ask()
    cordon, site.election.left_seconds = site.hands.cordon, 1.05

    async def never(*_):
        await asyncio.Event().wait()

    site.hands.cordon = never
    await site.loop.turn()
    assert "no answer to cordon on gpu-01 within 0 s" in caplog.text

    site.hands.cordon, site.election.left_seconds = cordon, 15
    await site.passes(5)
    assert site.observed().phase is P.CONVERGED


@pytest.mark.parametrize("act", ["cordon", "label", "uncordon"])
async def test_what_the_server_refuses_three_times_is_told_in_its_words_and_tried_again(act):
    site = Site()
    site.hands.answers[act] = EffectResult(effect=Effect.REFUSED, message="no rights to patch nodes")
    site.ask()

    await site.until(P.BLOCKED)
    await site.passes(2)
    (blocker,) = site.observed().blockers
    assert (site.observed().phase, blocker.cause) == (P.BLOCKED, BlockCause.ADMISSION)
    assert blocker.name == "no rights to patch nodes"

    site.hands.answers.clear()
    await site.passes(5)
    assert site.observed().phase is P.CONVERGED


async def test_a_node_that_moved_since_it_was_read_is_read_again():
    site = Site()
    site.hands.answers["label"] = MOVED
    site.ask()
    await site.passes(3)
    assert (site.observed().phase, site.node.unschedulable) == (P.APPLYING, True)

    site.hands.answers.clear()
    await site.passes(3)

    assert site.observed().phase is P.CONVERGED


async def test_a_label_that_was_refused_was_not_written_so_the_drain_may_still_be_given_up():
    site = Site()
    site.hands.answers["label"] = EffectResult(effect=Effect.REFUSED, message="no rights to patch nodes")
    site.ask()

    await site.passes(35)

    assert (site.observed().phase, site.node.unschedulable) == (P.BLOCKED, False)
    assert site.observed().message.startswith("given up after 30 minutes")
