"""docs/changes.md: each example is what the demo answers, asked in the order of the page."""

import json
import re
from pathlib import Path

from gateway.fleet.problem import ProblemCode
from tests.journeys.changing import serving_the_demo

PAGE = (Path(__file__).parents[1] / "docs" / "changes.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```graphql\n(.*?)```\n```json\n(.*?)```", PAGE, re.DOTALL)


async def test_each_example_is_what_the_demo_answers():
    assert EXAMPLES
    async with serving_the_demo() as client:
        for query, answer in EXAMPLES:
            assert await client.data(query) == json.loads(answer), query


def test_every_problem_is_explained_once():
    told = re.findall(r"^\| ([A-Z_]+) \|", PAGE, re.MULTILINE)

    assert sorted(told) == sorted(code.value for code in ProblemCode)


def test_every_mutation_is_named():
    told = re.findall(r"^\| `(set\w+|assign\w+|release\w+)` \|", PAGE, re.MULTILINE)

    schema = (Path(__file__).parents[1] / "schema.graphql").read_text(encoding="utf-8")
    (mutations,) = re.findall(r"^type Mutation \{(.*?)^\}", schema, re.DOTALL | re.MULTILINE)
    assert told == re.findall(r"^  (\w+)\(", mutations, re.MULTILINE)
