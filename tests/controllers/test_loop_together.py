"""Several nodes, several processes, and everything that stops them."""

import logging
from dataclasses import replace

import pytest

from gateway.controllers.node_reconciler.sight import Limits
from gateway.errors import SourceUnavailable, System
from gateway.fleet.desired import BlockCause, CardLayout, MigLayout, ProfileCount
from gateway.fleet.desired import ReconcilePhase as P
from tests.controllers.site import HALVES, SEVENTHS, Site

TWO, THREE = ("gpu-01", "gpu-02"), ("gpu-01", "gpu-02", "gpu-03")

FAULT = ZeroDivisionError("nobody foresaw this")
SILENT = SourceUnavailable(System.KUBERNETES, "cluster fleet does not answer")


async def test_one_node_at_a_time_is_out_of_service():
    site = Site(*THREE)
    for name in THREE:
        site.ask(node=name)
    most = 0

    for _ in range(120):
        await site.passes(0.1)
        most = max(most, sum(node.unschedulable for node in site.hands.nodes.values()))

    assert most == 1
    assert {site.observed(name).phase for name in THREE} == {P.CONVERGED}


async def test_more_at_a_time_where_an_operator_says_so():
    site = Site(*THREE, limits=Limits(max_in_change=2))
    for name in THREE:
        site.ask(node=name)

    await site.passes(0.5)

    assert [name for name in THREE if site.hands.nodes[name].unschedulable] == ["gpu-01", "gpu-02"]


async def test_a_node_that_is_stuck_under_our_cordon_counts_as_in_change():
    site = Site(*TWO)
    pod = site.hands.bind("train-0", finalizers=("example.com/keep",))
    site.ask(acknowledged=[pod.id])
    site.ask(HALVES, node="gpu-02")

    await site.passes(20)
    (blocker,) = site.observed("gpu-02").blockers
    assert (blocker.cause, blocker.name) == (BlockCause.LIMIT, "1 in change at a time: gpu-01")
    await site.passes(20)

    assert (site.observed().phase, site.observed("gpu-02").phase) == (P.BLOCKED, P.CONVERGED)


async def test_what_is_asked_anew_of_a_blocked_node_does_not_wait_for_its_next_turn():
    site = Site()
    pod = site.hands.bind("train-0")
    site.ask()
    await site.passes(1)
    assert site.observed().phase is P.BLOCKED

    site.ask(acknowledged=[pod.id])
    await site.passes(0.1)

    assert site.node.unschedulable


async def test_a_node_that_is_blocked_no_more_is_not_kept_out_of_service_for_longer_than_others():
    site = Site()
    pod = site.hands.bind("train-0")
    site.ask()
    await site.passes(1)
    site.hands.end(pod.uid)
    await site.until(P.CORDONING)

    await site.passes(0.3)

    assert site.observed().phase is P.APPLYING


@pytest.mark.parametrize(("config", "cause"), [(SEVENTHS, "failed on gpu-01"), (HALVES, "1 in change")])
async def test_the_first_failure_of_a_layout_halts_that_layout_and_its_node_counts_as_in_change(
    config, cause
):
    site = Site(*TWO)
    site.manager.says = ["failed"]
    site.ask()
    await site.until(P.FAILED)
    site.ask(config, node="gpu-02")

    await site.passes(5)

    assert site.observed("gpu-02").phase is P.BLOCKED
    assert cause in site.observed("gpu-02").message


async def test_another_layout_is_not_halted_by_a_failure_where_there_is_room_for_it():
    site = Site(*TWO, limits=Limits(max_in_change=2))
    site.manager.says = ["failed"]
    site.ask()
    site.ask(HALVES, node="gpu-02")

    await site.passes(5)

    assert (site.observed().phase, site.observed("gpu-02").phase) == (P.FAILED, P.CONVERGED)


async def test_a_fault_inside_one_nodes_step_is_told_with_an_id_and_does_not_stop_the_others(caplog):
    site = Site(*TWO)
    site.ask()
    site.ask(HALVES, node="gpu-02")
    site.hands.fails["gpu-01"] = FAULT

    with caplog.at_level(logging.ERROR):
        await site.passes(4)

    assert (site.observed().phase, site.observed("gpu-02").phase) == (P.FAILED, P.CONVERGED)
    number = site.observed().message.split()[-4]
    assert f"fault {number}" in caplog.text


async def test_after_a_fault_nothing_more_is_done_on_that_node_until_somebody_asks_again():
    site = Site()
    site.ask()
    await site.until(P.DRAINING)
    site.hands.fails["gpu-01"] = FAULT
    await site.until(P.FAILED)
    site.hands.fails.clear()
    await site.passes(2)
    assert site.hands.done == ["cordon"]

    site.ask()
    await site.passes(4)

    assert site.observed().phase is P.CONVERGED


async def test_a_fault_on_three_nodes_ends_the_process_and_each_is_told_of():
    site = Site(*THREE)
    for name in THREE:
        site.ask(node=name)
        site.hands.fails[name] = FAULT

    with pytest.raises(ZeroDivisionError):
        await site.passes(2)

    assert {site.observed(name).phase for name in THREE} == {P.FAILED}


async def test_a_fault_that_cannot_be_stored_ends_the_turn_before_anything_else_is_done():
    site = Site(*TWO)
    site.ask()
    site.ask(HALVES, node="gpu-02")
    site.hands.fails["gpu-01"] = FAULT

    async def no_claim(_):
        raise SourceUnavailable(System.PLATFORM, "no answer")

    site.ledger.claim = no_claim
    with pytest.raises(SourceUnavailable):
        await site.loop.turn()

    assert site.hands.done == []


async def test_a_fault_outside_of_a_nodes_step_ends_the_process():
    site = Site()
    site.ledger.wishes = None

    with pytest.raises(TypeError):
        await site.loop.run()

    assert site.election.resigned


async def test_each_claim_and_effect_is_logged_with_the_node_and_the_generation(caplog):
    site = Site()
    site.ask()

    with caplog.at_level(logging.INFO):
        await site.passes(0.1)

    told = [(one.message, one.fields) for one in caplog.records]
    common = {"cluster": "fleet", "node": "gpu-01", "generation": 1}
    assert told[0] == ("claim", common | {"phase": "CORDONING", "told": "new work is kept off the node"})
    assert told[1] == ("effect", common | {"act": "cordon", "effect": "DONE", "answer": ""})


async def test_a_record_that_is_gone_by_its_turn_is_passed_over():
    site = Site(*TWO)
    site.ask()
    site.ask(HALVES, node="gpu-02")
    step = site.reconciler.hands.cordon

    async def cordon_and_forget(*asked):
        site.ledger.forget("gpu-02")
        return await step(*asked)

    site.hands.cordon = cordon_and_forget
    await site.loop.turn()

    assert site.hands.done == ["cordon"]


async def test_a_node_that_is_not_in_the_fleet_has_no_layout_that_could_be_judged():
    site = Site()
    site.hands.nodes["gpu-09"] = replace(site.node, name="gpu-09", uid="uid-9")
    site.ledger.add("gpu-09")
    site.ask(node="gpu-09")
    site.unseen.add("gpu-09")

    await site.passes(1)

    assert site.observed("gpu-09").message == "the node is not in the fleet that is read"


async def test_a_layout_that_the_cards_cannot_have_is_told_with_the_reason():
    site = Site()
    cut = CardLayout(devices=None, profiles=(ProfileCount(profile="7g.80gb", count=2),))
    site.ledger.ask("gpu-01", mig_layout=MigLayout(cards=(cut,)), layout_uid="uid-gpu-01")

    await site.passes(1)

    assert site.observed().message.startswith("one A100-80GB gives at most 1 x 7g.80gb")
