from dataclasses import replace

import pytest

from gateway.fleet.diagnosis.chain.view import GKE
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from tests.builders import a_node
from tests.fleets import NEVER
from tests.gpu_labels import A100, GPU, single
from tests.gpu_operator import (
    DISCOVERY,
    LABELS,
    MACHINE,
    OPERATOR,
    a_machine_with,
    a_site,
    container,
    evidence_of,
    labelled,
    pod_of,
    pods_but,
    step_of,
)

AT = f"nodes/{MACHINE} metadata.labels"
PRODUCT, COUNT = "nvidia.com/gpu.product", "nvidia.com/gpu.count"


def labels(*args, **told):
    return step_of(a_site(*args, **told), DiagnosisCheck.LABELS)


@pytest.mark.parametrize("missing", [PRODUCT, COUNT])
def test_labels_that_are_missing(missing):
    step = labels(a_machine_with(missing))

    assert step.outcome.value == "WARN"
    assert "has no labels of gpu-feature-discovery" in step.finding
    assert evidence_of(step)[f"{AT}[{missing}]"] is None


def test_a_node_pool_of_gke_has_its_own_label():
    step = labels(a_machine_with(PRODUCT, COUNT, **{GKE: "nvidia-tesla-t4"}))

    assert (step.outcome.value, evidence_of(step)) == ("PASS", {f"{AT}[{GKE}]": "nvidia-tesla-t4"})


def test_labels_that_were_left_behind_where_nobody_keeps_them_up():
    elsewhere = replace(pod_of(DISCOVERY, container()), node_name="gpu-02")

    step = labels(pods=[*pods_but(DISCOVERY), elsewhere])

    assert step.outcome.value == "WARN"
    assert "runs on other nodes of the cluster and not here" in step.finding


def test_labels_whose_keeper_crashes_grow_old():
    crashing = pod_of(DISCOVERY, container(waiting="CrashLoopBackOff", restarts=5))

    step = labels(pods=[*pods_but(DISCOVERY), crashing])

    assert (step.outcome.value, "may be old" in step.finding) == ("WARN", True)
    assert step.finding.endswith(f"kubectl -n {OPERATOR} logs {DISCOVERY}-x7k2p -c main --previous")


def test_labels_that_the_capacity_contradicts():
    step = labels(a_node(MACHINE, labelled(**{COUNT: "4"}), {GPU: 5}))

    assert step.outcome.value == "WARN"
    assert "nvidia.com/gpu is 5, and the labels count 4" in step.finding
    assert evidence_of(step)[f"nodes/{MACHINE} status.capacity[{GPU}]"] == "5"


@pytest.mark.parametrize(
    ("key", "value", "outcome"),
    [
        ("accelerator", "NVIDIA-A100-SXM4-80GB", "WARN"),
        ("gpu-type", "A100-80GB", "WARN"),
        ("gpu-type", "H100-80GB", "PASS"),
        ("gpu-type", "fast", "PASS"),
        ("nvidia.com/gpu.machine", "NVIDIA-A100-SXM4-80GB", "PASS"),
    ],
)
def test_labels_that_somebody_wrote_by_hand(key, value, outcome):
    step = labels(a_machine_with(**{key: value}))

    assert step.outcome.value == outcome, step.finding
    if outcome == "WARN":
        assert f"the label {key}={value} of {MACHINE} says A100-80GB" in step.finding
        assert evidence_of(step) == {f"{AT}[{key}]": value, f"{AT}[{PRODUCT}]": "NVIDIA-H100-80GB-HBM3"}


def test_labels_of_slices_are_those_of_their_card():
    cut = LABELS | single(56, "1g.10gb", A100) | {"gpu-type": "A100-80GB"}

    assert labels(a_node(MACHINE, cut)).outcome.value == "PASS"


def test_a_label_that_is_no_number_is_unknown():
    assert labels(a_machine_with(**{COUNT: "many"})).outcome.value == "UNKNOWN"


def test_while_the_pods_are_silent_nobody_can_tell_whether_they_are_kept_up():
    assert labels(contacts={"pods": NEVER}).outcome.value == "UNKNOWN"
