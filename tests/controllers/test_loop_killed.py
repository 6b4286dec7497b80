"""The process is killed before or after each of its writes and started anew: it gets there all the same."""

from itertools import count

import pytest

from gateway.fleet.desired import ReconcilePhase as P
from gateway.fleet.live import MIG_STATE
from tests.controllers.site import OFFERS, SEVENTHS, WHOLE, Site
from tests.fakes.killed import Fuse, surviving


def a_site(says=("pending", "success"), **manager):
    """A node with one acknowledged pod, of which another layout is asked."""
    site = Site()
    pod = site.hands.bind("train-0")
    site.manager.says = list(says)
    for name, value in manager.items():
        setattr(site.manager, name, value)
    site.ask(acknowledged=[pod.id])
    return site


async def played(site, fuse):
    """Run until the fuse burns through, then as a new process; how the node was when it was given back."""
    given_back = []
    give_back = site.hands.give_back

    async def watched(node):
        given_back.append((dict(site.node.allocatable), site.node.labels.get(MIG_STATE)))
        return await give_back(node)

    site.hands.give_back = watched
    site.start(fuse)
    with surviving():
        await site.passes(40, every=30)
    site.start()
    await site.passes(40, every=30)
    return given_back


@pytest.mark.parametrize("after", [False, True])
async def test_a_change_converges_wherever_the_process_is_killed_and_nothing_unverified_is_given_back(after):
    for at in count(1):
        site, fuse = a_site(), Fuse(at, after=after)

        given_back = await played(site, fuse)

        if not fuse.burnt:
            break
        assert (site.observed().phase, site.node.unschedulable) == (P.CONVERGED, False), at
        assert set(map(str, given_back)) == {str((OFFERS[SEVENTHS], "success"))}, at
        assert site.hands.done.count("evict train-0") == 1
    assert at > 12


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("trouble", "phase"),
    [
        ({"says": ("pending", "failed")}, P.FAILED),
        ({"says": ("pending",)}, P.BLOCKED),
        ({"says": ()}, P.BLOCKED),
        ({"cuts": False}, P.FAILED),
    ],
)
async def test_a_change_that_cannot_succeed_says_so_wherever_the_process_is_killed(trouble, phase, after):
    for at in count(1):
        site, fuse = a_site(**trouble), Fuse(at, after=after)

        given_back = await played(site, fuse)

        if not fuse.burnt:
            break
        assert (site.observed().phase, site.node.unschedulable, given_back) == (phase, True, []), at
        assert site.observed().blockers, at
    assert at > 8


@pytest.mark.parametrize("after", [False, True])
async def test_a_withdrawal_gives_the_node_back_wherever_the_process_is_killed(after):
    for at in count(1):
        site, fuse = Site(), Fuse(at, after=after)
        site.ask()
        await site.until(P.DRAINING)
        site.ask(None)

        await played(site, fuse)

        if not fuse.burnt:
            break
        assert (site.observed().phase, site.node.unschedulable) == (P.CONVERGED, False), at
        assert site.node.allocatable == OFFERS[WHOLE], at
    assert at > 3
