"""The alert rules of deploy/, judged by Prometheus' own tool, and against what the gateway really tells."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from graphql import parse, validate

from gateway.fleet.alert import AlertKind
from gateway.fleet.health_reason import HealthCode
from gateway.fleet.pending.kept import REASONS
from gateway.fleet.source import SourceState, source_name
from tests.schema.graph import GRAPH

RULES = Path(__file__).parents[2] / "deploy" / "alerts" / "rules.yaml"
CASES = Path(__file__).with_name("alert_rules.yaml")
EVERY = [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def promtool(programs, *asked):
    done = subprocess.run(  # noqa: S603  a program that we built
        [programs / "promtool", *asked], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_every_rule_is_one_that_prometheus_reads(cluster_programs):
    code, said = promtool(cluster_programs, "check", "rules", RULES)
    assert (code, f"{len(EVERY)} rules found" in said) == (0, True), said


def test_every_rule_is_raised_by_what_it_is_about_and_by_nothing_less(cluster_programs):
    code, said = promtool(cluster_programs, "test", "rules", CASES)
    assert code == 0, said


def test_every_rule_has_a_case():
    tried = {
        case["alertname"]
        for test in yaml.safe_load(CASES.read_text())["tests"]
        for case in test["alert_rule_test"]
        if case["exp_alerts"]
    }
    assert {rule["alert"] for rule in EVERY} == tried


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule["alert"])
def test_a_rule_asks_for_words_that_the_gateway_says(rule):
    known = {"kind": AlertKind.__members__, "code": HealthCode.__members__, "state": SourceState.__members__}
    for label, pattern in re.findall(r'(\w+)=~?"([^"]*)"', rule["expr"]):
        if label in known:
            assert any(re.fullmatch(pattern, word) for word in known[label]), pattern
        else:
            assert (label, pattern) == ("source", source_name(REASONS))


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule["alert"])
def test_the_query_of_a_rule_can_be_asked(rule):
    assert validate(GRAPH, parse(rule["annotations"]["query"])) == []
