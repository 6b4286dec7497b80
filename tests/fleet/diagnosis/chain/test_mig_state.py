import pytest

from gateway.fleet.alert import RemedyAction
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from tests.builders import a_node
from tests.gpu_labels import A100, GPU, mixed, single
from tests.gpu_operator import LABELS, MACHINE, a_site, chain_of, evidence_of, step_of

SEVENTH = "nvidia.com/mig-1g.10gb"
CONFIG, STATE = "nvidia.com/mig.config", "nvidia.com/mig.config.state"


def a_cut_machine(slices=56, **told):
    labels = LABELS | mixed(8) | {f"{SEVENTH}.count": str(slices)} | told
    return a_node(MACHINE, labels, {GPU: 0, SEVENTH: slices})


def mig_state(node):
    return step_of(a_site(node), DiagnosisCheck.MIG_STATE)


@pytest.mark.parametrize(
    ("state", "outcome", "action"),
    [
        ("success", "PASS", None),
        ("failed", "FAIL", RemedyAction.CHANGE_MIG_LAYOUT),
        ("pending", "FAIL", RemedyAction.WAIT),
        ("rebooting", "FAIL", RemedyAction.WAIT),
        ("odd", "UNKNOWN", None),
    ],
)
def test_what_the_mig_manager_says_of_its_last_change(state, outcome, action):
    step = mig_state(a_cut_machine(**{CONFIG: "all-1g.10gb", STATE: state}))

    assert step.outcome.value == outcome
    assert [one.action for one in step.remedies] == ([action] if action else [])
    assert evidence_of(step)[f"nodes/{MACHINE} metadata.labels[{STATE}]"] == state


def test_a_layout_of_which_no_manager_has_said_anything():
    step = mig_state(a_cut_machine(**{CONFIG: "all-1g.10gb"}))

    assert (step.outcome.value, "no MIG manager has said anything" in step.finding) == ("WARN", True)


def test_a_success_that_is_old_and_untrue():
    step = mig_state(a_cut_machine(**{CONFIG: "all-3g.40gb", STATE: "success"}))

    assert step.outcome.value == "WARN"
    assert "was cut as all-3g.40gb, says the MIG manager; it offers 56 x 1g.10gb" in step.finding
    assert [one.action for one in step.remedies] == [RemedyAction.CHANGE_MIG_LAYOUT]


def test_a_machine_of_which_no_layout_is_asked():
    assert mig_state(a_cut_machine()).outcome.value == "PASS"


def test_a_layout_that_the_single_strategy_does_not_allow_and_that_serves_all_the_same():
    invalid = LABELS | single(0, "INVALID", A100) | {"nvidia.com/gpu.replicas": "0"}

    step = chain_of(a_site(a_node(MACHINE, invalid, {GPU: 8})))[-1]

    assert (step.check.value, step.outcome.value) == ("MIG_STATE", "FAIL")
    assert [one.action for one in step.remedies] == [RemedyAction.CHANGE_MIG_LAYOUT]
