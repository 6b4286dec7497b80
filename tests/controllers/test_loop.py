"""A change of a layout from end to end, in memory: what is done, in which order, and what is left alone."""

from gateway.fleet.desired import ReconcilePhase as P
from gateway.fleet.live import CORDON, MIG_CONFIG, MIG_STATE
from tests.controllers.site import OFFERS, SEVENTHS, Site


async def test_a_layout_is_reached_by_cordon_drain_label_slices_and_the_cordon_is_given_back():
    site = Site()
    site.ask()

    await site.passes(3)

    assert site.ledger.phases("gpu-01") == [
        P.CORDONING,
        P.DRAINING,
        P.APPLYING,
        P.UNCORDONING,
        P.CONVERGED,
    ]
    assert site.hands.done == ["cordon", f"label {SEVENTHS}", "uncordon"]
    assert (site.node.labels[MIG_CONFIG], site.node.labels[MIG_STATE]) == (SEVENTHS, "success")
    assert site.node.allocatable == OFFERS[SEVENTHS]
    assert (site.node.unschedulable, CORDON in site.node.annotations) == (False, False)
    assert site.observed().converged
