import pytest

from gateway.fleet.alert import RemedyAction
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from tests.fleets import NEVER
from tests.gpu_operator import (
    DRIVER,
    MACHINE,
    OPERATOR,
    TOOLKIT,
    a_machine_with,
    a_site,
    container,
    evidence_of,
    pod_of,
    pods_but,
    step_of,
)

STATE = "nvidia.com/gpu-driver-upgrade-state"
VERSION = "nvidia.com/cuda.driver-version.full"
POD = f"pods/{OPERATOR}/{DRIVER}-x7k2p"


def driver(*args, **told):
    return step_of(a_site(*args, **told), DiagnosisCheck.DRIVER)


@pytest.mark.parametrize(
    ("state", "outcome", "action"),
    [
        ("upgrade-done", "PASS", None),
        ("", "PASS", None),
        ("upgrade-required", "FAIL", RemedyAction.WAIT),
        ("drain-required", "FAIL", RemedyAction.WAIT),
        ("validation-required", "FAIL", RemedyAction.WAIT),
        ("upgrade-failed", "FAIL", RemedyAction.REPAIR_NODE),
    ],
)
def test_an_upgrade_of_the_driver(state, outcome, action):
    step = driver(a_machine_with(**{STATE: state}))

    assert step.outcome.value == outcome
    if action:
        assert evidence_of(step) == {f"nodes/{MACHINE} metadata.labels[{STATE}]": state}
        assert [one.action for one in step.remedies] == [action]
        assert step.finding.endswith(f"See: kubectl get node {MACHINE} -L {STATE}")


@pytest.mark.parametrize(
    ("version", "strategy", "outcome"),
    [
        ("570.86.15", None, "PASS"),
        ("384.81", None, "PASS"),
        ("384.66", None, "FAIL"),
        ("418.87.00", None, "PASS"),
        ("418.87.00", "mixed", "FAIL"),
        ("450.80.02", "single", "PASS"),
    ],
)
def test_its_version_against_what_the_device_plugin_needs(version, strategy, outcome):
    cut = {"nvidia.com/mig.strategy": strategy} if strategy else {}

    step = driver(a_machine_with(**{VERSION: version}, **cut))

    assert step.outcome.value == outcome
    assert evidence_of(step) == {f"nodes/{MACHINE} metadata.labels[{VERSION}]": version}


def test_a_driver_whose_pod_crashes_is_broken_though_labels_tell_of_it():
    crashing = pod_of(DRIVER, container("nvidia-driver-ctr", "CrashLoopBackOff", restarts=14, exit_code=1))

    step = driver(a_machine_with(gives=0), [*pods_but(DRIVER), crashing])

    assert step.outcome.value == "FAIL"
    assert "was restarted 14 times, the last time with exit code 1" in step.finding
    assert evidence_of(step) == {
        f"{POD} status.containerStatuses[nvidia-driver-ctr].state.waiting.reason": "CrashLoopBackOff",
        f"{POD} status.containerStatuses[nvidia-driver-ctr].restartCount": "14",
    }
    assert f"kubectl -n {OPERATOR} logs {DRIVER}-x7k2p -c nvidia-driver-ctr --previous" in step.finding


def test_operands_that_wait_for_the_driver_show_that_it_is_not_ready():
    waiting = container("driver-validation", is_init=True, ready=False)

    step = driver(a_machine_with(gives=0), [*pods_but(TOOLKIT), pod_of(TOOLKIT, waiting, phase="Pending")])

    assert step.outcome.value == "FAIL"
    assert "does not get past its init container driver-validation" in step.finding


@pytest.mark.parametrize(
    ("node", "pods", "outcome"),
    [
        (a_machine_with(VERSION), [], "PASS"),
        (a_machine_with(VERSION, gives=0), [pod_of(DRIVER, container())], "PASS"),
        (a_machine_with(VERSION, gives=0), [], "UNKNOWN"),
    ],
    ids=["cards are given", "its pod runs", "nothing tells"],
)
def test_a_driver_of_which_no_label_tells(node, pods, outcome):
    assert driver(node, pods).outcome.value == outcome


def test_while_the_pods_are_silent_nobody_can_tell():
    step = driver(contacts={"pods": NEVER})

    assert step.outcome.value == "UNKNOWN"
    assert "kubernetes/fleet/pods was never reached" in step.finding
