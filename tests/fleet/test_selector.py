import json
from pathlib import Path

import pytest

from gateway.errors import Invalid
from gateway.fleet.selector_grammar import parse_selector

# What apimachinery 0.36.3 makes of each text: which of the first line's label sets it selects; null: refused.
FIRST, *REST = (Path(__file__).parents[1] / "recordings" / "selectors.jsonl").read_text().splitlines()
LABEL_SETS = json.loads(FIRST)["labels"]
PLAYED = [json.loads(line) for line in REST]


@pytest.mark.parametrize("case", [one for one in PLAYED if one["selects"]], ids=lambda one: one["selector"])
def test_a_selector_selects_what_kubernetes_selects(case):
    selector = parse_selector(case["selector"])

    assert [selector.matches(labels) for labels in LABEL_SETS] == case["selects"]


@pytest.mark.parametrize(
    "case", [one for one in PLAYED if not one["selects"]], ids=lambda one: one["selector"]
)
def test_what_kubernetes_refuses_is_refused(case):
    with pytest.raises(Invalid, match="is no label selector: found"):
        parse_selector(case["selector"])


@pytest.mark.parametrize(
    ("text", "place_and_fix"),
    [
        ("a,", "found the end at character 3: write a label's key, or !key"),
        ("a in (b", "found the end at character 8: separate values by commas and close them with )"),
        ("a=b c", "found 'c' at character 5: put a comma between two requirements"),
        ("a in b", "found 'b' at character 6: write the values in parentheses, as in (a,b)"),
        ("a = (b)", "found '(' at character 5: write one value; several need in (a,b)"),
        ("a ! b", "found '!' at character 3: write =, ==, !=, in, notin, > or < after a key"),
        ("a > x", "found 'x' at character 5: > and < compare with an integer of 64 bits"),
        ("a>,b", "found no value at character 3: > and < compare with an integer of 64 bits"),
        (
            "A/b",
            "found 'A/b' at character 1: a key's prefix is a DNS name in lower case, as in example.com/name",
        ),
    ],
)
def test_a_refusal_names_the_place_and_the_fix(text, place_and_fix):
    with pytest.raises(Invalid) as refused:
        parse_selector(text)

    assert str(refused.value) == f"labelSelector: {text!r} is no label selector: {place_and_fix}"


def test_a_long_selector_is_quoted_in_part():
    with pytest.raises(Invalid) as refused:
        parse_selector("a=" + "b" * 50_000)

    assert len(str(refused.value)) < 300
