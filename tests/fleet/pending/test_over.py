from dataclasses import replace
from datetime import timedelta

import pytest

from gateway.fleet.pending.over import QUIET, over
from gateway.fleet.pending.reason import KeptReason
from gateway.fleet.pending.sightings import sightings
from tests.builders import NOON, a_pod
from tests.fleet.pending.said import CORDONED, waiting
from tests.fleets import NEVER, PODS, a_fleet, a_keeper


def kept(pod_name="work-0", last_seen=NOON):
    (sighting,) = sightings(a_fleet([], [waiting()]))
    return KeptReason(
        key=sighting.key,
        namespace="training",
        pod_name=pod_name,
        controller=None,
        code=sighting.code,
        scheduler=sighting.scheduler,
        last_seen=last_seen,
    )


def is_over(reason, fleet):
    return list(over([reason], list(sightings(fleet)), fleet)) == [reason.key]


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        pytest.param(waiting(), False, id="it is still said"),
        pytest.param(waiting(None), False, id="nothing is said, and it still waits"),
        pytest.param(waiting(CORDONED), True, id="something else is said now"),
        pytest.param(a_pod(), True, id="it was placed"),
        pytest.param(replace(waiting(None), uid="uid-after"), True, id="a namesake waits"),
        pytest.param(replace(waiting(None), ended=True), True, id="it ended"),
        pytest.param(a_pod("other"), True, id="it is gone"),
    ],
)
def test_a_reason_of_a_pod_holds_while_that_pod_waits_and_nothing_else_is_said(pod, expected):
    assert is_over(kept(), a_fleet([], [pod])) is expected


def test_while_the_pods_are_silent_nothing_is_over():
    keeper = a_keeper([], [a_pod()])
    keeper.touch(PODS, NEVER)
    assert not is_over(kept(), keeper.pin())


def test_where_no_pod_can_be_named_a_reason_is_over_when_nothing_was_said_for_long():
    assert not is_over(kept(None, NOON - QUIET), a_fleet())
    assert is_over(kept(None, NOON - QUIET - timedelta(seconds=1)), a_fleet())
