import pytest

from gateway.fleet.diagnosis.chain.view import GKE
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from tests.builders import a_record, some_records
from tests.gpu_operator import MACHINE, ON_THE_BUS, a_machine_with, a_site, evidence_of, step_of

AT = f"nodes/{MACHINE} metadata.labels"
PRESENT = "nvidia.com/gpu.present"
BY_CLASS = "feature.node.kubernetes.io/pci-0302_10de.present"
A_CPU = "feature.node.kubernetes.io/cpu-model.vendor_id"


@pytest.mark.parametrize(
    ("node", "outcome", "said", "evidence"),
    [
        (a_machine_with(), "PASS", "sees a card of NVIDIA", (ON_THE_BUS, "true")),
        (
            a_machine_with(ON_THE_BUS, **{BY_CLASS: "true"}),
            "PASS",
            "sees a card of NVIDIA",
            (BY_CLASS, "true"),
        ),
        (
            a_machine_with(ON_THE_BUS, PRESENT, **{A_CPU: "Intel"}, has=0, gives=0),
            "FAIL",
            "sees no card of NVIDIA",
            (ON_THE_BUS, None),
        ),
        (
            a_machine_with(ON_THE_BUS, **{A_CPU: "Intel"}, has=0, gives=0),
            "FAIL",
            "sees no card of NVIDIA",
            (ON_THE_BUS, None),
        ),
        (a_machine_with(ON_THE_BUS, has=0, gives=0), "PASS", "labelled as a machine", (PRESENT, "true")),
        (
            a_machine_with(ON_THE_BUS, PRESENT, **{GKE: "nvidia-tesla-t4"}, has=0, gives=0),
            "PASS",
            "labelled as a machine",
            (GKE, "nvidia-tesla-t4"),
        ),
        (
            a_machine_with(ON_THE_BUS, PRESENT, has=0, gives=0),
            "UNKNOWN",
            "no label of node-feature-discovery",
            (ON_THE_BUS, None),
        ),
    ],
    ids=[
        "seen",
        "seen by its class",
        "gone",
        "gone and labelled",
        "only labelled",
        "labelled by GKE",
        "nobody looked",
    ],
)
def test_what_is_on_the_bus(node, outcome, said, evidence):
    step = step_of(a_site(node, []), DiagnosisCheck.HARDWARE)

    assert (step.outcome.value, said in step.finding) == (outcome, True), step.finding
    assert evidence_of(step) == {f"{AT}[{evidence[0]}]": evidence[1]}
    assert f"See: kubectl get node {MACHINE}" in step.finding


def test_a_machine_that_gives_gpus_has_them_whoever_looked():
    step = step_of(a_site(a_machine_with(ON_THE_BUS, PRESENT, **{A_CPU: "AMD"})), DiagnosisCheck.HARDWARE)

    assert step.outcome.value == "PASS"
    assert evidence_of(step) == {f"nodes/{MACHINE} status.allocatable[nvidia.com/gpu]": "8"}


@pytest.mark.parametrize(("claimed", "outcome"), [(8, "PASS"), (7, "PASS"), (9, "WARN")])
def test_fewer_cards_than_the_record_claims_are_a_doubt_and_both_are_shown(claimed, outcome):
    records = some_records([a_record(claims=claimed)])

    step = step_of(a_site(records=records), DiagnosisCheck.HARDWARE)

    assert step.outcome.value == outcome
    if outcome == "WARN":
        assert evidence_of(step) == {
            f"node_record[fleet/{MACHINE}].claimed_cards": "9",
            f"{AT}[nvidia.com/gpu.count]": "8",
        }
