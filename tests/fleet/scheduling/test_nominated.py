"""Room that is made for one pod is kept from others; seen on kube-scheduler 1.36.3."""

from dataclasses import replace

import pytest

from gateway.fleet.scheduling.cluster import seen_by_scheduler
from gateway.fleet.scheduling.preemption import prospect
from gateway.fleet.scheduling.verdict import verdicts
from tests.builders import CLUSTER
from tests.fleet.scheduling.scenes import node, pod, pod_terms
from tests.fleets import a_fleet

VICTIM = pod("victim", on="gpu-01", asks={"cpu": "4"}, priority=10, leaving=True)
WINNER = replace(
    pod("winner", asks={"cpu": "4"}, labels={"app": "db"}, priority=1000), nominated_node="gpu-01"
)
AWAY = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "db"}}}
SHORT = ["Insufficient cpu"]


def seen():
    return seen_by_scheduler(a_fleet([node()], [VICTIM, WINNER]), CLUSTER)


@pytest.mark.parametrize(
    ("asks", "priority", "reasons"),
    [("500m", 10, SHORT), ("500m", 1000, SHORT), ("4", 1001, []), ("5", 1001, SHORT)],
)
def test_room_is_kept_from_all_but_those_of_higher_priority(asks, priority, reasons):
    (verdict,) = verdicts(pod(asks={"cpu": asks}, priority=priority), seen())

    assert (verdict.fits, [reason.text for reason in verdict.reasons]) == (not reasons, reasons)


def test_it_is_not_kept_from_itself():
    (verdict,) = verdicts(WINNER, seen())

    assert verdict.fits is True


def test_a_node_must_do_with_the_other_and_without_it():
    ask = pod(asks={"cpu": "500m"}, priority=10, **pod_terms("podAffinity", AWAY))

    (verdict,) = verdicts(
        ask, seen_by_scheduler(a_fleet([node()], [replace(WINNER, requests=ask.requests)]), CLUSTER)
    )

    assert [reason.text for reason in verdict.reasons] == ["node(s) didn't match pod affinity rules"]


def test_evicting_others_does_not_free_what_is_kept():
    ask = pod(asks={"cpu": "500m"}, priority=100, **pod_terms("podAntiAffinity", AWAY))
    (verdict,) = verdicts(ask, seen())

    told = prospect(ask, verdict, seen())

    assert (told.helps, [reason.text for reason in told.reasons]) == (
        False,
        ["node(s) didn't match pod anti-affinity rules"],
    )
