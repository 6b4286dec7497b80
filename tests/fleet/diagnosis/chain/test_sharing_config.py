import pytest

from gateway.errors import System
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from gateway.fleet.unknown import undetermined
from tests.fleets import ABSENT, NEVER
from tests.gpu_operator import MACHINE, OPERATOR, PLUGIN, a_machine_with, a_set, a_site, evidence_of, step_of

LABEL = "nvidia.com/device-plugin.config"
NAMED = a_machine_with(**{LABEL: "four-shares"})
PLAIN = a_machine_with()
FORBIDDEN = undetermined(System.KUBERNETES, "ConfigMap gpu-operator/sharing cannot be read: 403")


def configured(*names, default=None, configs=None):
    held = frozenset(names) if configs is None else configs
    return {"sets": [a_set(PLUGIN, config_map="sharing", configs=held, default_config=default)]}


@pytest.mark.parametrize(
    ("node", "told", "outcome", "said"),
    [
        (NAMED, configured("four-shares", "whole"), "PASS", "the configuration four-shares"),
        (
            NAMED,
            configured("whole"),
            "FAIL",
            "has no configuration four-shares, which is meant for gpu-01: it has whole",
        ),
        (NAMED, configured(), "FAIL", "it has none, or is not there"),
        (NAMED, {"sets": [a_set(PLUGIN)]}, "FAIL", f"and DaemonSet {OPERATOR}/{PLUGIN} reads none"),
        (NAMED, configured(configs=FORBIDDEN), "UNKNOWN", "cannot be read: 403"),
        (NAMED, {"sets": []}, "UNKNOWN", "no device plugin is to be seen"),
        (NAMED, {"contacts": {"operands": ABSENT}}, "UNKNOWN", "no device plugin is to be seen"),
        (NAMED, {"contacts": {"operands": NEVER}}, "UNKNOWN", "operands was never reached"),
        (PLAIN, configured("whole"), "PASS", "no configuration of the device plugin is named"),
        (PLAIN, configured("whole", default="whole"), "PASS", "the configuration whole"),
        (PLAIN, configured("whole", default="gone"), "FAIL", "has no configuration gone"),
    ],
    ids=[
        "there",
        "another one there",
        "none there",
        "none read",
        "forbidden",
        "no plugin",
        "not to be seen",
        "silent",
        "none named",
        "by default",
        "by default, and gone",
    ],
)
def test_the_configuration_that_is_meant_for_the_machine(node, told, outcome, said):
    step = step_of(a_site(node, **told), DiagnosisCheck.SHARING_CONFIG)

    assert (step.outcome.value, said in step.finding) == (outcome, True), step.finding


def test_the_names_that_are_there_are_shown():
    step = step_of(a_site(NAMED, **configured("two", "one")), DiagnosisCheck.SHARING_CONFIG)

    assert evidence_of(step) == {
        f"nodes/{MACHINE} metadata.labels[{LABEL}]": "four-shares",
        f"configmaps/{OPERATOR}/sharing data": "one, two",
    }
    assert step.finding.endswith(f"See: kubectl -n {OPERATOR} get configmap sharing -o yaml")
