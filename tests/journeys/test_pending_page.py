"""docs/pending.md: what it asks is asked of the demo's first moment, which answers as the page says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from gateway.fleet.clock import utc_now
from gateway.simulator.scenario.demo import demo_fleet
from tests.asking import Gateway
from tests.journeys.fleets import Still, read_world

PAGE = (Path(__file__).parents[2] / "docs" / "pending.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```graphql\n([^`]*)```\n```json\n([^`]*)```", PAGE)


@pytest.fixture(scope="module")
async def demo() -> Gateway:
    """A gateway that has read the demo's fleet."""
    return Gateway(Still(await read_world(demo_fleet(utc_now))))


@pytest.mark.parametrize(("query", "text"), EXAMPLES)
async def test_each_example_is_what_the_demo_answers(demo, query, text):
    shown = json.loads(text)

    answer = await demo.ask_later(query)

    assert "errors" not in answer
    assert shortened(answer["data"], shown) == shown


def shortened(answer: Any, shown: Any) -> Any:
    """The answer with those steps alone that are shown."""
    if isinstance(answer, dict) and isinstance(shown, dict):
        return {key: shortened(value, shown.get(key)) for key, value in answer.items()}
    if isinstance(answer, list) and isinstance(shown, list) and shown and "check" in shown[0]:
        checks = [one["check"] for one in shown]
        return [one for one in answer if one["check"] in checks]
    return answer


@pytest.mark.parametrize("name", ["depth-4g", "jupyter-batch", "merge-adapters", "rerank-xl"])
async def test_schedulers_of_the_demo_say_what_its_nodes_are_found_to_say(demo, name):
    query = """query ($name: String!) { cluster(name: "fleet") { pods(filter: {names: [$name]}) { nodes {
      diagnosis { verdict } pendingReasons { nodes { message } } } } } }"""

    (pod,) = (await demo.ask_later(query, name=name))["data"]["cluster"]["pods"]["nodes"]

    (said,) = pod["pendingReasons"]["nodes"]
    found = pod["diagnosis"]["verdict"].removeprefix("it fits on none of 36 nodes: ")
    assert said["message"].startswith(f"0/36 nodes are available: {found}. ")
