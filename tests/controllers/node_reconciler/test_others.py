"""Nodes that vanish, are another machine by now, or that others have."""

import pytest

from gateway.fleet.desired import BlockCause
from gateway.fleet.desired import ReconcilePhase as P
from gateway.fleet.live import MIG_STATE
from tests.builders import a_job, a_slurm_node
from tests.controllers.site import HALVES, SEVENTHS, Site
from tests.fakes.hands import FakeNode
from tests.fleets import FRESH, SLURM_JOBS, SLURM_NODES

LABEL = f"label {SEVENTHS}"


@pytest.mark.parametrize("phase", [P.DRAINING, P.APPLYING])
async def test_a_node_that_vanishes_midway_is_said_to_be_gone(phase):
    site = Site()
    site.manager.says = ["pending"]
    site.ask()
    await site.until(phase)
    del site.hands.nodes["gpu-01"]

    await site.passes(2)

    (blocker,) = site.observed().blockers
    assert (site.observed().phase, blocker.cause) == (P.BLOCKED, BlockCause.NODE_LEAVING)


@pytest.mark.parametrize("phase", [P.DRAINING, P.APPLYING])
async def test_a_node_that_is_made_anew_under_its_name_is_another_machine(phase):
    site = Site()
    site.ask()
    await site.until(phase)
    site.hands.nodes["gpu-01"] = FakeNode(
        name="gpu-01", uid="uid-2", labels=dict(site.node.labels) | {MIG_STATE: "success"}, allocatable={}
    )
    done = list(site.hands.done)

    await site.passes(2)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, done)
    assert (
        site.observed().message
        == "the layout was asked for another machine of this name: ask again for this one"
    )


async def test_a_wished_cordon_follows_the_name_of_a_machine():
    site = Site()
    site.ledger.ask("gpu-01", cordoned=True)
    site.ask()
    await site.until(P.DRAINING)
    site.hands.nodes["gpu-01"] = FakeNode(name="gpu-01", uid="uid-2", labels={}, allocatable={})

    await site.passes(2)

    assert (site.observed().phase, site.node.unschedulable) == (P.BLOCKED, True)


async def test_a_node_that_is_not_there_and_of_which_nothing_is_wanted_is_as_asked():
    site = Site()
    site.ledger.ask("gpu-01", cordoned=False)
    del site.hands.nodes["gpu-01"]

    await site.passes(1)

    assert site.observed().phase is P.CONVERGED


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"labels": {"nvidia.com/gpu-driver-upgrade-state": "drain-required"}}, BlockCause.DRIVER_UPGRADE),
        ({"taints": {"ToBeDeletedByClusterAutoscaler"}}, BlockCause.NODE_LEAVING),
        ({"taints": {"node.kubernetes.io/out-of-service"}}, BlockCause.NODE_LEAVING),
        ({"ready": False}, BlockCause.NODE_NOT_READY),
    ],
)
@pytest.mark.parametrize("phase", [None, P.DRAINING])
async def test_a_node_that_others_take_or_that_is_ill_is_let_be(phase, change, cause):
    site = Site()
    site.ask()
    if phase:
        await site.until(phase)
    done = list(site.hands.done)
    site.node.labels |= change.get("labels", {})
    site.node.taints |= change.get("taints", set())
    site.node.ready = change.get("ready", True)

    await site.passes(2)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, done)
    assert [one.cause for one in site.observed().blockers] == [cause]


@pytest.mark.parametrize(
    ("app", "cause"),
    [
        ("nvidia-mig-manager", BlockCause.MIG_MANAGER),
        ("nvidia-device-plugin-daemonset", BlockCause.DEVICE_PLUGIN),
    ],
)
async def test_without_a_program_that_is_needed_the_node_is_not_touched(app, cause):
    site = Site()
    for uid in [uid for uid, of in site.hands.apps.items() if of == app]:
        site.hands.end(uid)
    site.ask()

    await site.passes(1)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, [])
    assert site.observed().blockers[0].cause is cause


async def test_a_job_of_slurm_on_the_node_keeps_it_untouched():
    site = Site()
    site.keeper.replace(SLURM_NODES, {"gpu-01": a_slurm_node()}, FRESH)
    site.keeper.replace(SLURM_JOBS, {"1": a_job()}, FRESH)
    site.ask()

    await site.passes(1)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, [])
    assert site.observed().message == "Slurm job 1 (train) holds the node"


async def test_a_slurm_that_is_silent_may_have_work_there():
    site = Site()
    site.slurm_answers = False
    site.ask()

    await site.passes(1)

    assert (site.observed().phase, site.hands.done) == (P.BLOCKED, [])
    assert "slurm/island/nodes is NEVER: it may have work there" in site.observed().message


@pytest.mark.parametrize("phase", [P.DRAINING, P.FAILED])
@pytest.mark.parametrize("anew", [False, True])
async def test_a_machine_that_is_gone_is_not_counted_as_out_of_service(phase, anew):
    site = Site("gpu-01", "gpu-02")
    site.manager.says = ["failed"]
    site.ask()
    await site.until(phase)
    gone = site.hands.nodes.pop("gpu-01")
    if anew:
        site.hands.nodes["gpu-01"] = FakeNode(name="gpu-01", uid="uid-2", labels=gone.labels, allocatable={})
    site.ask(HALVES, node="gpu-02")

    await site.passes(5)

    assert (site.observed().phase, site.observed("gpu-02").phase) == (P.BLOCKED, P.CONVERGED)
