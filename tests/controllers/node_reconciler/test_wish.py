"""What becomes of a change when its wish, its node or its cards are others midway."""

import pytest

from gateway.fleet.desired import ReconcilePhase as P
from gateway.fleet.live import MIG_CONFIG
from gateway.fleet.mig import MIG_PREFIX
from tests.controllers.site import HALVES, OFFERS, SEVENTHS, WHOLE, Site

LABEL = f"label {SEVENTHS}"


async def test_what_is_so_already_converges_and_the_node_is_not_touched():
    site = Site()
    site.hands.bind("train-0")
    site.ask(WHOLE)

    await site.passes(1)

    assert (site.observed().phase, site.hands.done) == (P.CONVERGED, [])
    assert site.observed().layout_converged == site.ledger.wish("gpu-01").desired.layout_generation


async def test_slices_alone_are_not_enough_where_the_label_names_another_configuration():
    site = Site()
    site.node.labels[MIG_CONFIG] = "by-hand"
    site.ask(WHOLE)

    await site.passes(4)

    assert site.hands.done == ["cordon", f"label {WHOLE}", "uncordon"]


async def test_a_card_that_dies_after_convergence_causes_no_second_change():
    site = Site()
    site.ask()
    await site.passes(4)
    done = list(site.hands.done)
    site.node.allocatable = {f"{MIG_PREFIX}1g.10gb": 13}

    site.ledger.ask("gpu-01", cordoned=True)
    await site.passes(5)

    assert site.observed().phase is P.CONVERGED
    assert site.hands.done == [*done, "cordon"]


async def test_a_process_that_starts_anew_and_reads_old_wishes_does_nothing_that_was_done():
    site = Site()
    site.ask()
    await site.passes(4)
    done = list(site.hands.done)

    for _ in range(3):
        site.start()
        await site.passes(1)

    assert site.hands.done == done


async def test_another_layout_midway_before_the_label_is_the_one_that_is_made():
    site = Site()
    site.ask()
    await site.until(P.DRAINING)
    site.ask(HALVES)

    await site.passes(4)

    assert (site.observed().phase, site.node.labels[MIG_CONFIG]) == (P.CONVERGED, HALVES)
    assert LABEL not in site.hands.done


async def test_another_layout_after_the_label_waits_until_the_manager_is_done_and_then_is_made():
    site = Site()
    site.ask()
    await site.until(P.APPLYING)
    site.ask(HALVES)
    await site.loop.turn()
    assert (site.observed().phase, site.node.unschedulable) == (P.BLOCKED, True)

    await site.passes(4)

    assert (site.observed().phase, site.node.unschedulable) == (P.CONVERGED, False)
    assert site.hands.done == ["cordon", LABEL, "cordon", f"label {HALVES}", "uncordon"]


async def test_another_layout_midway_that_cannot_be_made_gives_the_node_back():
    site = Site()
    site.ask()
    await site.until(P.DRAINING)
    site.hands.bind("late-0")
    site.ask(HALVES)

    await site.passes(1)

    assert (site.observed().phase, site.node.unschedulable) == (P.BLOCKED, False)


async def test_a_wish_that_is_withdrawn_before_the_label_gives_the_node_back_as_it_was():
    site = Site()
    site.ask()
    await site.until(P.DRAINING)
    site.ask(None)

    await site.passes(1)

    assert (site.observed().phase, site.hands.done) == (P.CONVERGED, ["cordon", "uncordon"])
    assert site.node.allocatable == OFFERS[WHOLE]


async def test_a_wish_that_is_withdrawn_after_the_label_gives_the_node_back_when_the_manager_is_done():
    site = Site()
    site.ask()
    await site.until(P.APPLYING)
    site.ask(None)
    await site.passes(0.1)
    assert (site.observed().phase, site.node.unschedulable) == (P.BLOCKED, True)

    await site.passes(2)

    assert (site.observed().phase, site.node.unschedulable) == (P.CONVERGED, False)


async def test_a_wish_that_is_withdrawn_after_a_failure_leaves_the_cordon_on_cards_that_nobody_knows():
    site = Site()
    site.manager.says = ["failed"]
    site.ask()
    await site.until(P.FAILED)
    site.ask(None)

    await site.passes(2)

    assert (site.observed().phase, site.node.unschedulable) == (P.BLOCKED, True)
    assert (
        site.observed().message
        == f"the MIG manager says failed of {SEVENTHS}: the cordon stays until it succeeds"
    )


async def test_a_claim_for_a_wish_that_moved_meanwhile_is_refused_and_nothing_is_done():
    site = Site()
    site.ask()
    wish = site.ledger.wish("gpu-01")
    site.ask(HALVES)

    await site.reconciler.give_up(wish, "stale")

    assert site.ledger.wish("gpu-01").observed is None


@pytest.mark.parametrize("change", [{"cordon_reason": "a fan is loud"}, {"cordoned": True}])
async def test_a_change_of_something_else_is_no_other_try_of_a_layout_that_failed(change):
    site = Site()
    site.manager.says = ["failed"]
    site.ask()
    await site.until(P.FAILED)
    site.ledger.ask("gpu-01", **change)

    await site.passes(2)

    assert site.observed().phase is P.FAILED
    assert site.observed().generation == site.ledger.wish("gpu-01").desired.generation
    assert (site.hands.done.count(LABEL), site.node.unschedulable) == (1, True)


async def test_a_change_of_something_else_gives_no_more_time_to_a_drain():
    site = Site()
    pod = site.hands.bind("train-0", finalizers=("example.com/keep",))
    site.ask(acknowledged=[pod.id])
    await site.passes(20)
    site.ledger.ask("gpu-01", cordon_reason="a fan is loud")

    await site.passes(12)

    assert (site.observed().phase, site.node.unschedulable) == (P.BLOCKED, False)
