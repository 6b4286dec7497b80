"""Whose the label is, and what it may name."""

from dataclasses import replace

import pytest

from gateway.fleet.desired import BlockCause, CardLayout, MigLayout, ProfileCount
from gateway.fleet.desired import ReconcilePhase as P
from gateway.fleet.live import MIG_CONFIG, MIG_STATE, Effect, EffectResult
from gateway.fleet.mig import MIG_PREFIX
from tests.controllers.site import HALVES, SEVENTHS, WHOLE, Site
from tests.fakes.mig_manager import MANAGER

LABEL = f"label {SEVENTHS}"


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


async def test_a_configuration_that_cannot_be_added_keeps_no_node_out_of_service():
    site = Site("gpu-01", "gpu-02")
    site.hands.file = replace(site.hands.file, is_ours=True)
    site.hands.answers["layout"] = EffectResult(effect=Effect.REFUSED, message="no rights to write it")
    site.ledger.ask("gpu-01", mig_layout=a_layout(), layout_uid="uid-gpu-01")
    site.ask(HALVES, node="gpu-02")

    await site.passes(5)

    assert (site.observed().phase, site.observed().message) == (P.BLOCKED, "no rights to write it")
    assert (site.observed("gpu-02").phase, site.hands.nodes["gpu-01"].unschedulable) == (P.CONVERGED, False)


async def test_a_manager_that_waits_for_the_gateways_file_is_given_it_before_it_is_ready():
    site = Site()
    site.hands.file = replace(site.hands.file, is_ours=True)
    for uid in [uid for uid, app in site.hands.apps.items() if app == MANAGER]:
        site.hands.end(uid)
    site.ledger.ask("gpu-01", mig_layout=a_layout(), layout_uid="uid-gpu-01")

    await site.passes(1)

    (name,) = site.hands.file.ours
    assert (site.hands.done, site.observed().phase) == ([f"layout {name}"], P.BLOCKED)


async def test_a_configuration_that_is_lost_midway_is_added_again_and_waited_for_again():
    site = Site()
    site.hands.file = replace(site.hands.file, is_ours=True)
    site.manager._offers = Everything({f"{MIG_PREFIX}2g.20gb": 6})
    site.ledger.ask("gpu-01", mig_layout=a_layout(), layout_uid="uid-gpu-01")
    await site.until(P.DRAINING)
    site.hands.file = replace(site.hands.file, ours={}, names=frozenset())
    lost_at = site.time()

    await site.until(P.APPLYING)

    assert (site.time() - lost_at).total_seconds() >= 120


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
