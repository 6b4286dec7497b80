"""Whose the cordon is: it is shared with others, and a person's word is the last."""

import pytest

from gateway.fleet.desired import BlockCause, Blocker
from gateway.fleet.desired import ReconcilePhase as P
from gateway.fleet.live import CORDON, HOLD
from gateway.fleet.platform import Target
from tests.controllers.site import SEVENTHS, Site
from tests.fakes.hands import CONFLICT


async def test_a_wished_cordon_is_made_and_drains_nobody():
    site = Site()
    site.hands.bind("train-0")
    generation = site.ledger.ask("gpu-01", cordoned=True)

    await site.passes(2)

    assert (site.observed().phase, site.hands.done) == (P.CONVERGED, ["cordon"])
    assert site.node.annotations[CORDON] == str(generation)


async def test_a_cordon_that_is_no_more_wished_is_given_back():
    site = Site()
    site.ledger.ask("gpu-01", cordoned=True)
    await site.passes(1)
    site.ledger.ask("gpu-01", cordoned=False)

    await site.passes(1)

    assert (site.observed().phase, site.hands.done) == (P.CONVERGED, ["cordon", "uncordon"])
    assert (site.node.unschedulable, CORDON in site.node.annotations) == (False, False)


async def test_the_cordon_of_somebody_else_stays_when_ours_is_given_back():
    site = Site()
    site.node.unschedulable, site.node.cordon_owners = True, {"kubectl-cordon"}
    site.ask()

    await site.passes(4)

    assert site.observed().phase is P.CONVERGED
    assert (site.node.unschedulable, site.node.cordon_owners) == (True, {"kubectl-cordon"})


async def test_a_wished_cordon_stays_after_a_layout_and_a_layout_keeps_the_cordon_that_is_withdrawn():
    site = Site()
    site.ledger.ask("gpu-01", cordoned=True)
    site.ask()
    await site.until(P.APPLYING)
    site.ledger.ask("gpu-01", cordoned=False)
    await site.loop.turn()
    assert site.node.unschedulable

    site.ledger.ask("gpu-01", cordoned=True)
    await site.passes(3)

    assert (site.observed().phase, site.node.unschedulable) == (P.CONVERGED, True)
    assert "uncordon" not in site.hands.done


@pytest.mark.parametrize("phase", [P.DRAINING, P.APPLYING])
async def test_a_person_uncordons_midway_and_nothing_more_is_done_until_somebody_asks_again(phase):
    site = Site()
    site.manager.says = ["pending"]
    site.ask()
    await site.until(phase)
    done = list(site.hands.done)
    site.node.uncordon()

    await site.passes(40)

    (blocker,) = site.observed().blockers
    assert (site.observed().phase, blocker.cause) == (P.BLOCKED, BlockCause.PERSON)
    assert (site.hands.done, site.node.unschedulable) == (done, False)


async def test_after_a_person_uncordoned_a_new_wish_goes_on():
    site = Site()
    site.ask()
    await site.until(P.DRAINING)
    site.node.uncordon()
    await site.until(P.BLOCKED)
    site.ask()

    await site.passes(4)

    assert site.observed().phase is P.CONVERGED


async def test_a_person_uncordons_a_node_whose_cordon_was_wished():
    site = Site()
    site.ledger.ask("gpu-01", cordoned=True)
    await site.passes(1)
    site.node.uncordon()
    site.tell_of_nodes()

    await site.passes(3)

    assert (site.observed().phase, site.observed().blockers[0].cause) == (P.BLOCKED, BlockCause.PERSON)
    assert site.hands.done == ["cordon"]


async def test_a_person_cordons_midway_and_the_node_is_still_given_back_since_nothing_tells_of_it():
    site = Site()
    site.ask()
    await site.until(P.DRAINING)
    # kubectl 1.36 sees that the node is cordoned and writes nothing.

    await site.passes(4)

    assert (site.observed().phase, site.node.unschedulable) == (P.CONVERGED, False)


async def test_a_conflict_over_the_cordon_is_not_forced_and_told_in_the_servers_words():
    site = Site()
    site.hands.answers["cordon"] = CONFLICT
    site.ledger.ask("gpu-01", cordoned=True)

    await site.passes(1)

    (blocker,) = site.observed().blockers
    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, [])
    assert blocker == Blocker(cause=BlockCause.FIELD_MANAGER, name=CONFLICT.message)


async def test_a_held_node_is_not_touched_and_says_so():
    site = Site()
    site.node.annotations[HOLD] = "ada looks at it"
    site.ask()

    await site.passes(2)

    (blocker,) = site.observed().blockers
    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, [])
    assert (blocker.cause, blocker.name) == (BlockCause.HOLD, f"annotation {HOLD}: ada looks at it")


@pytest.mark.parametrize("phase", [P.DRAINING, P.APPLYING])
async def test_a_node_that_is_held_midway_stays_as_it_is_until_it_is_let_go(phase):
    site = Site()
    site.manager.says = ["pending"]
    site.ask()
    await site.until(phase)
    done = list(site.hands.done)
    site.node.annotations[HOLD] = ""
    await site.passes(5)
    assert (site.observed().phase, site.hands.done, site.node.unschedulable) == (P.BLOCKED, done, True)

    site.node.annotations.pop(HOLD)
    site.manager.says = ["success"]
    site.node.labels["nvidia.com/mig.config.state"] = "success"
    site.node.allocatable = {"nvidia.com/mig-1g.10gb": 14}
    await site.passes(5)

    assert site.observed().phase is P.CONVERGED


async def test_a_held_node_is_not_even_uncordoned():
    site = Site()
    site.ledger.ask("gpu-01", cordoned=True)
    await site.passes(1)
    site.node.annotations[HOLD] = ""
    site.ledger.ask("gpu-01", cordoned=False)

    await site.passes(2)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, ["cordon"])


@pytest.mark.parametrize(("target", "says"), [(Target.SLURM, "serves Slurm"), (None, "serves no scheduler")])
async def test_a_node_of_another_target_is_not_touched(target, says):
    site = Site()
    site.ledger.give("gpu-01", target)
    site.ask()

    await site.passes(2)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, [])
    assert says in site.observed().message


async def test_a_cordon_of_ours_stays_on_a_node_that_serves_another_by_now():
    site = Site()
    site.ledger.ask("gpu-01", cordoned=True)
    await site.passes(1)
    site.ledger.give("gpu-01", Target.SLURM)
    site.ledger.ask("gpu-01", cordoned=False)

    await site.passes(1)

    assert (site.observed().phase, site.node.unschedulable) == (P.BLOCKED, True)


async def test_the_generation_of_the_cordon_follows_the_wish_so_that_a_person_is_told_from_us():
    site = Site()
    site.ask()
    await site.until(P.DRAINING)
    generation = site.ledger.ask("gpu-01", cordon_reason="a fan is loud")
    await site.loop.turn()
    assert site.node.annotations[CORDON] == str(generation)

    await site.passes(4)

    assert site.hands.done == ["cordon", "cordon", f"label {SEVENTHS}", "uncordon"]
