"""Public reports of GPU numbers that were wrong: each is a small fleet, a question and the right answer."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from gateway.simulator.bundle import load_bundle
from tests.asking import Gateway
from tests.journeys.fleets import Still, read_world

CASES = sorted(file.parent for file in Path(__file__).parent.glob("*/case.yaml"))


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Path:
    return request.param


async def test_a_fleet_that_was_counted_wrong_is_counted_right(case: Path):
    world = load_bundle(case)
    said = yaml.safe_load((case / "case.yaml").read_text(encoding="utf-8"))
    right = json.loads((case / "answer.json").read_text(encoding="utf-8"))

    gateway = Gateway(Still(await read_world(world)))
    answer = await gateway.ask_later((case / "query.graphql").read_text(encoding="utf-8"))

    assert not world.problems
    assert "errors" not in answer
    assert only_what_is_told(answer["data"], right) == right, f"{said['thread']}: {said['right']}"


def only_what_is_told(answer: Any, right: Any) -> Any:
    """The answer without sources that skipped nothing, and without reasons of which the case says nothing."""
    if isinstance(answer, list) and isinstance(right, list) and len(answer) == len(right):
        return [only_what_is_told(*pair) for pair in zip(answer, right, strict=True)]
    if not (isinstance(answer, dict) and isinstance(right, dict)):
        return answer
    answer = dict(answer)
    if "sources" in answer:
        answer["sources"] = [source for source in answer["sources"] if source["skipped"]]
    if "unknowns" in answer and "unknowns" in right:
        fields = {unknown["field"] for unknown in right["unknowns"]}
        answer["unknowns"] = [unknown for unknown in answer["unknowns"] if unknown["field"] in fields]
    return {key: only_what_is_told(value, right.get(key)) for key, value in answer.items()}
