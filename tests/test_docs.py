import re
from pathlib import Path

import pytest

from tests.accounting_examples import PAGE, keeper_of, rules
from tests.asking import Gateway

SCHEMA = Path(__file__).parents[1] / "schema.graphql"
EXAMPLES = {
    f"{rule}-{at}": example for rule, examples in rules().items() for at, example in enumerate(examples)
}


def test_the_page_has_each_rule_that_the_schema_names_and_no_other():
    named = set(re.findall(r'rule: "([^"]+)"', SCHEMA.read_text(encoding="utf-8")))

    assert set(rules()) == named


def test_each_rule_has_a_worked_example():
    assert [rule for rule, examples in rules().items() if not examples] == []


def test_the_page_lists_its_rules_at_the_top():
    listed = re.findall(r"\[([a-z-]+)\]\(#\1\) ?(?:·|$)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    assert listed == list(rules())


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_a_worked_example_is_what_the_gateway_answers(example):
    assert Gateway(keeper_of(example.fleet)).ask(example.query)["data"] == example.answer
