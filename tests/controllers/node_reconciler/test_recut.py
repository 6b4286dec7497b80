"""From the label to the slices: what the MIG manager says, and what is believed of it."""

import pytest

from gateway.fleet.desired import BlockCause
from gateway.fleet.desired import ReconcilePhase as P
from gateway.fleet.live import MIG_STATE
from gateway.fleet.mig import MIG_PREFIX
from tests.controllers.site import OFFERS, SEVENTHS, Site
from tests.fakes.mig_manager import MANAGER, PLUGIN

LABEL = f"label {SEVENTHS}"


async def test_a_manager_that_fails_is_final_and_the_cordon_stays():
    site = Site()
    site.manager.says = ["pending", "failed"]
    site.ask()

    await site.passes(60)

    assert (site.observed().phase, site.node.unschedulable) == (P.FAILED, True)
    assert site.hands.done == ["cordon", LABEL]
    assert site.observed().message.startswith(f"the MIG manager says failed of {SEVENTHS}")
    assert site.observed().blockers[0].cause is BlockCause.MIG_MANAGER


@pytest.mark.parametrize("word", ["pending", "rebooting"])
async def test_a_manager_that_is_not_done_in_half_an_hour_is_in_the_way_and_the_cordon_stays(word):
    site = Site()
    site.manager.says = [word]
    site.ask()

    await site.passes(29)
    assert site.observed().phase is P.APPLYING
    await site.passes(5)

    (blocker,) = site.observed().blockers
    assert (site.observed().phase, blocker.cause) == (P.BLOCKED, BlockCause.MIG_MANAGER)
    assert word in blocker.name
    assert (site.hands.done, site.node.unschedulable) == (["cordon", LABEL], True)


async def test_whether_a_node_that_is_rebooting_did_reboot_is_told_by_its_boot_id():
    site = Site()
    site.manager.says = ["rebooting"]
    site.ask()
    await site.until(P.BLOCKED, minutes=40)
    assert site.observed().message.endswith("and the node has rebooted since")

    other = Site()
    other.manager.says = ["pending"]
    other.ask()
    await other.until(P.BLOCKED, minutes=40)
    assert other.observed().message.endswith("and the node has not rebooted")


async def test_a_manager_that_is_done_after_all_lets_the_change_go_on():
    site = Site()
    site.manager.says = ["rebooting"]
    site.ask()
    await site.until(P.BLOCKED, minutes=40)
    site.node.labels[MIG_STATE], site.node.allocatable = "success", dict(OFFERS[SEVENTHS])

    await site.passes(2)

    assert (site.observed().phase, site.node.unschedulable) == (P.CONVERGED, False)


async def test_the_success_of_the_last_change_is_not_believed():
    site = Site()
    site.manager.says = []
    site.ask()

    await site.until(P.APPLYING)
    await site.passes(0.5)

    assert (MIG_STATE in site.node.labels, site.observed().phase) == (False, P.APPLYING)
    assert site.observed().message == "the MIG manager says nothing yet"


async def test_a_success_without_slices_is_a_failure_after_five_minutes():
    site = Site()
    site.manager.cuts = False
    site.ask()

    await site.until(P.VERIFYING)
    await site.passes(4)
    assert site.observed().phase is P.VERIFYING
    await site.passes(2)

    assert (site.observed().phase, site.node.unschedulable) == (P.FAILED, True)
    assert site.observed().message == "the node offers 2 x gpu, where 14 x mig-1g.10gb was asked"


async def test_one_slice_less_is_not_what_was_asked():
    site = Site()
    site.manager._offers = OFFERS | {SEVENTHS: {f"{MIG_PREFIX}1g.10gb": 13}}
    site.ask()

    await site.passes(10)

    assert site.observed().phase is P.FAILED


async def test_one_slice_more_of_another_kind_is_not_what_was_asked():
    site = Site()
    site.manager._offers = OFFERS | {SEVENTHS: {**OFFERS[SEVENTHS], f"{MIG_PREFIX}2g.20gb": 1}}
    site.ask()

    await site.passes(10)

    assert site.observed().phase is P.FAILED


async def test_a_retry_of_the_same_layout_starts_the_manager_anew_once_since_it_passes_over_an_equal_label():
    site = Site()
    site.manager.says = ["pending", "failed"]
    site.ask()
    await site.until(P.FAILED)
    site.manager.says = ["pending", "success"]
    site.ledger.ask("gpu-01")

    await site.passes(10)

    assert site.observed().phase is P.CONVERGED
    assert site.hands.done == ["cordon", LABEL, "cordon", LABEL, f"delete {MANAGER}", "uncordon"]


async def test_a_manager_that_never_says_anything_is_started_anew_once_and_then_in_the_way():
    site = Site()
    site.manager.says = []
    site.ask()

    await site.passes(60)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, ["cordon", LABEL, f"delete {MANAGER}"])


async def test_a_plugin_that_the_manager_started_anew_is_let_be():
    site = Site()
    site.ask()

    await site.passes(4)

    assert f"delete {PLUGIN}" not in site.hands.done


async def test_a_plugin_that_is_older_than_the_slices_is_started_anew_once():
    site = Site()
    site.manager.restarts_plugin = site.manager.cuts = False
    site.ask()
    await site.until(P.RESTARTING_DEVICE_PLUGIN)
    assert site.hands.done == ["cordon", LABEL, f"delete {PLUGIN}"]

    site.node.allocatable = dict(OFFERS[SEVENTHS])
    await site.passes(2)

    assert site.observed().phase is P.CONVERGED
    assert site.hands.done == ["cordon", LABEL, f"delete {PLUGIN}", "uncordon"]


async def test_slices_that_are_there_are_enough_whoever_is_older():
    site = Site()
    site.manager.restarts_plugin = False
    site.ask()

    await site.passes(4)

    assert (site.observed().phase, f"delete {PLUGIN}" in site.hands.done) == (P.CONVERGED, False)
