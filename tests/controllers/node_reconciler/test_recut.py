"""From the label to the slices: what the MIG manager says, and what is believed of it."""

from dataclasses import replace

import pytest

from gateway.fleet.desired import BlockCause, CardLayout, MigLayout, ProfileCount
from gateway.fleet.desired import ReconcilePhase as P
from gateway.fleet.live import MIG_CONFIG, MIG_STATE
from gateway.fleet.mig import MIG_PREFIX
from tests.controllers.site import HALVES, OFFERS, SEVENTHS, WHOLE, Site
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


async def test_a_configuration_that_the_manager_does_not_have_leaves_the_node_untouched():
    site = Site()
    site.hands.file = replace(site.hands.file, names=frozenset({WHOLE}))
    site.ask()

    await site.passes(2)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, [])
    assert site.observed().message == f"ConfigMap gpu-operator/mig-config has no configuration {SEVENTHS}"


@pytest.mark.parametrize("owner", ["kubectl-label", "argocd"])
async def test_a_label_that_others_own_is_not_taken_from_them(owner):
    site = Site()
    site.node.label_owners = {owner}
    site.ask()

    await site.passes(2)

    (blocker,) = site.observed().blockers
    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, [])
    assert (blocker.cause, blocker.name) == (BlockCause.FIELD_MANAGER, f"{owner} owns the label {MIG_CONFIG}")


async def test_the_label_of_the_operator_is_taken_over():
    site = Site()
    site.node.label_owners = {"gpu-operator"}
    site.ask()

    await site.passes(4)

    assert (site.observed().phase, site.node.label_owners) == (P.CONVERGED, {"gpu-gateway-mig"})


async def test_somebody_sets_the_label_meanwhile_and_theirs_is_not_undone():
    site = Site()
    site.manager.says = ["pending"]
    site.ask()
    await site.until(P.APPLYING)
    site.node.labels[MIG_CONFIG], site.node.label_owners = HALVES, {"kubectl-label"}

    await site.passes(2)

    assert (site.observed().phase, site.node.labels[MIG_CONFIG]) == (P.BLOCKED, HALVES)
    assert site.observed().message == f"kubectl-label set the label {MIG_CONFIG} to {HALVES} meanwhile"


@pytest.mark.parametrize("word", ["pending", "rebooting"])
async def test_a_manager_that_is_at_work_for_somebody_else_is_not_given_another_label(word):
    site = Site()
    site.node.labels[MIG_STATE] = word
    site.ask()

    await site.passes(2)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, [])
    assert site.observed().message == f"the MIG manager is at work ({word}) on {WHOLE}"


@pytest.mark.parametrize("state", ["failed", None])
async def test_a_label_is_set_where_the_last_one_failed_or_none_was_ever_applied(state):
    site = Site()
    if state:
        site.node.labels[MIG_STATE] = state
    else:
        del site.node.labels[MIG_STATE]
    site.ask()

    await site.passes(4)

    assert site.observed().phase is P.CONVERGED


def a_layout(profile="2g.20gb", count=3):
    cut = CardLayout(devices=None, profiles=(ProfileCount(profile=profile, count=count),))
    return MigLayout(cards=(cut,))


async def test_a_layout_card_by_card_is_added_by_a_name_of_its_content_and_labelled_once_it_can_be_read():
    site = Site()
    site.hands.file = replace(site.hands.file, is_ours=True)
    site.manager._offers = Everything({f"{MIG_PREFIX}2g.20gb": 6})
    site.ledger.ask("gpu-01", mig_layout=a_layout(), layout_uid="uid-gpu-01")
    began = site.time()

    await site.until(P.APPLYING)
    assert (site.time() - began).total_seconds() >= 120
    await site.passes(2)

    (name,) = site.hands.file.ours
    assert site.hands.done == [f"layout {name}", "cordon", f"label {name}", "uncordon"]
    assert name.startswith("gw-")
    assert "2g.20gb: 3" in site.hands.file.ours[name]
    assert site.observed().phase is P.CONVERGED


async def test_a_layout_card_by_card_needs_a_file_that_is_the_gateways():
    site = Site()
    site.ledger.ask("gpu-01", mig_layout=a_layout(), layout_uid="uid-gpu-01")

    await site.passes(2)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, [])
    assert "which is not the gateway's" in site.observed().message


class Everything(dict):
    """Offers the same, whatever is asked."""

    def __init__(self, offer):
        super().__init__()
        self._offer = offer

    def __contains__(self, key):
        return True

    def __getitem__(self, key):
        return self._offer
