import pytest

from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from tests.fleets import ABSENT, NEVER
from tests.gpu_operator import (
    ENFORCE,
    OPERATOR,
    PLUGIN,
    a_namespace,
    a_set,
    a_site,
    evidence_of,
    step_of,
)

AT = f"namespaces/{OPERATOR} metadata.labels[{ENFORCE}]"


def pod_security(**told):
    return step_of(a_site(**told), DiagnosisCheck.POD_SECURITY)


@pytest.mark.parametrize(
    ("level", "outcome"),
    [("privileged", "PASS"), (None, "PASS"), ("baseline", "FAIL"), ("restricted", "FAIL")],
)
def test_the_level_that_the_namespace_of_the_operands_enforces(level, outcome):
    step = pod_security(namespaces=[a_namespace(**({ENFORCE: level} if level else {}))])

    assert step.outcome.value == outcome
    assert evidence_of(step)[AT] == level
    if outcome == "FAIL":
        assert "it has hostPath volumes" in step.finding
        assert step.finding.endswith(f"See: kubectl get namespace {OPERATOR} --show-labels")
        assert step.remedies[0].text == f"kubectl label namespace {OPERATOR} --overwrite {ENFORCE}=privileged"


def test_operands_that_take_no_rights_may_be_made_anywhere():
    harmless = [a_set(PLUGIN, privileges=())]

    assert (
        pod_security(sets=harmless, namespaces=[a_namespace(**{ENFORCE: "restricted"})]).outcome.value
        == "PASS"
    )


def test_a_level_that_only_warns_forbids_nothing():
    warned = a_namespace(**{"pod-security.kubernetes.io/warn": "restricted"})

    assert pod_security(namespaces=[warned]).outcome.value == "PASS"


@pytest.mark.parametrize(
    "told",
    [
        {"contacts": {"namespaces": NEVER}},
        {"contacts": {"namespaces": ABSENT}},
        {"contacts": {"operands": NEVER}},
        {"contacts": {"operands": ABSENT}},
        {"sets": []},
    ],
    ids=[
        "namespaces silent",
        "namespaces not served",
        "operands silent",
        "operands not served",
        "no operands",
    ],
)
def test_what_cannot_be_seen_is_unknown(told):
    assert pod_security(**told).outcome.value == "UNKNOWN"
