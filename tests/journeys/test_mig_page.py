"""docs/mig.md: what it asks is asked of the demo, whose controllers carry it out in a hurry."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from gateway.fleet.desired import BlockCause, ReconcilePhase
from tests.journeys.changing import Client, node, serving_the_demo

PAGE = (Path(__file__).parents[2] / "docs" / "mig.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```graphql\n([^`]*)```\n```json\n([^`]*)```", PAGE)
(HISTORY,) = re.findall(r"```graphql\n([^`]*history[^`]*)```", PAGE)
PHASES = ["CORDONING", "DRAINING", "APPLYING", "UNCORDONING", "CONVERGED"]
BLOCKERS = "blockers { cause name }"
_HURRY = 20


async def hurried(seconds: float) -> None:
    """Sleep a part of it."""
    await asyncio.sleep(seconds / _HURRY)


@pytest.fixture(scope="module")
async def demo() -> AsyncIterator[Client]:
    """The demo with its controllers."""
    async with serving_the_demo(hurried) as client:
        yield client


async def answered(client: Client, query: str, expected: object, ids: list[str]) -> object:
    """What is answered; a query is asked again until it is as expected, for a limited time."""
    if query.startswith("mutation"):
        return await client.data(query, **({"ids": ids} if "$ids" in query else {}))
    answer = None
    for _ in range(600):
        answer = await client.data(query)
        if answer == expected:
            break
        await asyncio.sleep(0.1)
    return answer


async def test_each_example_comes_about_as_the_page_says(demo):
    ids: list[str] = []
    for query, text in EXAMPLES:
        expected = json.loads(text)
        assert await answered(demo, query, expected, ids) == expected, query
        if "impact" in expected:
            ids = [one["id"] for one in expected["impact"]["workloads"]]

    changes = (await demo.data(HISTORY))["node"]["history"]["nodes"]
    phases = [one["after"] for one in reversed(changes) if one["field"] == "observed.phase"]
    # Whether the slices are seen at once or one look later is a matter of milliseconds here.
    assert [phase for phase in phases if phase != "VERIFYING"] == PHASES
    asked = [(one["writer"], one["actor"]) for one in changes if one["field"] == "desired.migLayout"]
    assert asked == [("API", "anonymous")]
    machine = await of_kubernetes(demo, "GET", "/api/v1/nodes/gpu-a100-08")
    assert "unschedulable" not in machine["spec"]
    assert "gpu-gateway/cordon" not in machine["metadata"]["annotations"]


async def test_a_machine_that_a_person_holds_is_left_alone_in_their_words(demo):
    machine = "/api/v1/nodes/gpu-h100-02"
    await annotate(demo, machine, "gpu-gateway/hold", "alice: a fan")

    assert await kept_from_cordoning(demo, "gpu-h100-02") == [
        {"cause": "HOLD", "name": "annotation gpu-gateway/hold: alice: a fan"}
    ]

    await annotate(demo, machine, "gpu-gateway/hold", None)


async def test_an_annotation_of_the_lease_stops_every_effect(demo):
    lease = "/apis/coordination.k8s.io/v1/namespaces/gpu-gateway/leases/gpu-gateway-controllers"
    annotated = await annotate(demo, lease, "gpu-gateway/paused", "alice")
    async with asyncio.timeout(20):
        # Whoever renews it has read it.
        while (await of_kubernetes(demo, "GET", lease))["spec"] == annotated["spec"]:  # noqa: ASYNC110  a server sets no event
            await asyncio.sleep(0.1)

    assert await kept_from_cordoning(demo, "gpu-h100-03") == [{"cause": "PAUSED", "name": "alice"}]

    await annotate(demo, lease, "gpu-gateway/paused", None)


async def kept_from_cordoning(client: Client, name: str) -> Any:
    """What stands in the way of a cordon that is asked for, while it is not made."""
    asked = f'{{ node(cluster: "fleet", name: "{name}") {{ cordoned observed {{ {BLOCKERS} }} }} }}'
    await client.change("setCordon", node=node(name), cordoned=True)
    kept = (await client.until(asked, lambda data: data["node"]["observed"]))["node"]
    assert kept["cordoned"] is False
    return kept["observed"]["blockers"]


async def annotate(client: Client, path: str, annotation: str, value: str | None) -> Any:
    """As kubectl does."""
    return await of_kubernetes(client, "PATCH", path, {"metadata": {"annotations": {annotation: value}}})


async def of_kubernetes(client: Client, method: str, path: str, body: object = None) -> Any:
    """What the simulated API server answers."""
    headers = {"Content-Type": "application/merge-patch+json"}
    async with (
        aiohttp.ClientSession(client.cluster.url, headers=headers) as session,
        session.request(method, path, json=body) as answer,
    ):
        return await answer.json()


@pytest.mark.parametrize("words", [ReconcilePhase, BlockCause])
def test_every_phase_and_every_cause_is_explained_once(words):
    told = re.findall(r"^\| ([A-Z_]+) \|", PAGE, re.MULTILINE)

    expected = {one.value for one in words}
    assert sorted(one for one in told if one in expected and one != "OTHER") == sorted(expected - {"OTHER"})
    assert told.count("OTHER") == len({ReconcilePhase, BlockCause})
