"""Each thing that keeps a pod waiting, told by an API server, and what is found of it.

What breaks between the cards of a machine and its scheduler is in test_chain.py. What real schedulers and a
real API server said of such things is in tests/fleet, in each test_recorded.py, and in tests/live.
"""

import pytest

from tests.journeys.scenes.asked import ASKED
from tests.journeys.scenes.filtered import FILTERED
from tests.journeys.scenes.held import HELD
from tests.journeys.scenes.objects import event, gateway_of, node
from tests.journeys.scenes.queued import QUEUED
from tests.journeys.scenes.refused import FORBIDDEN, REFUSED

QUERY = """{ pod(cluster: "fleet", namespace: "team", name: "ask") { diagnosis {
  code verdict remedies { action text } steps { check outcome finding remedies { action } }
} } }"""
SAID = """{ cluster(name: "fleet") { pendingReasons { nodes {
  podName controller code message parts { resource } } } } }"""
SCENES = ASKED | FILTERED | HELD | QUEUED


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES.keys())
async def test_what_keeps_a_pod_waiting_is_found(scene):
    gateway = await gateway_of(scene.there)

    found = gateway.data(QUERY)["pod"]["diagnosis"]

    (step,) = [one for one in found["steps"] if one["check"] == scene.check]
    assert (step["outcome"], found["code"]) == (scene.outcome, scene.code), (
        step["finding"],
        found["verdict"],
    )
    assert scene.finding in step["finding"]
    actions = {one["action"] for one in (*found["remedies"], *step["remedies"])}
    assert scene.action is None or scene.action in actions


@pytest.mark.parametrize(("told", "expected"), REFUSED.values(), ids=REFUSED.keys())
async def test_what_was_refused_is_told_of_whom_it_was_refused(told, expected):
    gateway = await gateway_of([node(), told])

    answer = await gateway.ask_later(SAID)
    assert "errors" not in answer, answer["errors"]
    (said,) = answer["data"]["cluster"]["pendingReasons"]["nodes"]

    assert (said["controller"], said["podName"], said["code"]) == expected


async def test_a_refusal_that_an_api_server_has_kept_for_long_is_over():
    told = event("Job", "train", "FailedCreate", f"{FORBIDDEN}exceeded quota: gpus", days_ago=200)
    gateway = await gateway_of([node(), told])

    assert (await gateway.ask_later(SAID))["data"]["cluster"]["pendingReasons"]["nodes"] == []
