from dataclasses import replace

import pytest

from gateway.fleet.alert import RemedyAction
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, StepOutcome
from gateway.sources.kubernetes.constraints import RawConstraints, read_constraints
from tests.builders import a_node
from tests.fleets import ABSENT, NEVER
from tests.gpu_labels import A100, GPU, single
from tests.gpu_operator import (
    ENFORCE,
    LABELS,
    MACHINE,
    OPERATOR,
    PLUGIN,
    SWITCH,
    a_machine_with,
    a_namespace,
    a_set,
    a_site,
    an_event,
    container,
    evidence_of,
    labelled,
    outcomes,
    pod_of,
    pods_but,
    step_of,
)

EMPTY = a_machine_with(gives=0)
POD = f"pods/{OPERATOR}/{PLUGIN}-x7k2p"
LABEL = f"nodes/{MACHINE} metadata.labels"
ALL = "nvidia.com/gpu.deploy.operands"
STATE = "nvidia.com/mig.config.state"


def plugin(*args, **told):
    return step_of(a_site(*args, **told), DiagnosisCheck.DEVICE_PLUGIN)


def with_plugin(*containers, phase="Running"):
    return [*pods_but(PLUGIN), pod_of(PLUGIN, *containers, phase=phase)]


@pytest.mark.parametrize(
    ("waiting", "told", "said", "see"),
    [
        (
            "CrashLoopBackOff",
            {"restarts": 9, "exit_code": 1},
            "crashes",
            f"logs {PLUGIN}-x7k2p -c main --previous",
        ),
        ("ImagePullBackOff", {"message": "back-off"}, "has no image", f"describe pod {PLUGIN}-x7k2p"),
        ("ErrImagePull", {}, "has no image", f"describe pod {PLUGIN}-x7k2p"),
        ("CreateContainerConfigError", {}, "does not start", f"describe pod {PLUGIN}-x7k2p"),
        ("ContainerCreating", {}, "has not started", f"describe pod {PLUGIN}-x7k2p"),
    ],
)
def test_a_plugin_whose_container_does_not_run(waiting, told, said, see):
    step = plugin(EMPTY, with_plugin(container(waiting=waiting, **told)))

    assert step.outcome.value == "FAIL"
    assert f"pod {OPERATOR}/{PLUGIN}-x7k2p {said}" in step.finding
    assert step.finding.endswith(f"See: kubectl -n {OPERATOR} {see}")
    assert evidence_of(step) == {
        f"{POD} status.containerStatuses[main].state.waiting.reason": waiting,
        f"{POD} status.containerStatuses[main].restartCount": str(told.get("restarts", 0)),
    }
    assert [one.action for one in step.remedies] == [RemedyAction.REPAIR_NODE]


@pytest.mark.parametrize(
    ("containers", "phase", "said"),
    [
        ([container(ready=False, restarts=9, exit_code=1)], "Running", "was restarted 9 times"),
        ([container(ready=False)], "Running", "its container main is not ready"),
        (
            [container("config-manager-init", is_init=True, ready=False)],
            "Pending",
            "config-manager-init is not",
        ),
        ([], "Pending", "is Pending"),
        ([], "Failed", "is Failed"),
    ],
    ids=["between two crashes", "not ready", "in an init container", "not started", "failed"],
)
def test_a_plugin_that_does_not_serve(containers, phase, said):
    step = plugin(EMPTY, with_plugin(*containers, phase=phase))

    assert step.outcome.value == "FAIL"
    assert said in step.finding


def test_a_pod_that_was_evicted_is_no_trouble_once_there_is_another():
    evicted = replace(pod_of(PLUGIN, phase="Failed"), name="evicted", uid="evicted")

    assert plugin(pods=[*pods_but(), evicted]).outcome.value == "PASS"


def test_a_crash_is_told_before_other_troubles():
    pods = [
        *with_plugin(container(waiting="ContainerCreating")),
        pod_of("nvidia-dra-driver-gpu-kubelet-plugin", container(waiting="CrashLoopBackOff", restarts=2)),
    ]

    assert "was restarted 2 times" in plugin(EMPTY, pods).finding


def test_a_plugin_that_is_paused_for_a_mig_change_comes_back():
    paused = {SWITCH: "paused-for-mig-change", STATE: "pending"}

    step = plugin(a_machine_with(gives=0, **paused), pods_but(PLUGIN))

    assert step.outcome.value == "FAIL"
    assert "is paused while the MIG layout is changed" in step.finding
    assert evidence_of(step) == {
        f"{LABEL}[{SWITCH}]": "paused-for-mig-change",
        f"{LABEL}[{STATE}]": "pending",
    }
    assert [one.action for one in step.remedies] == [RemedyAction.WAIT]


@pytest.mark.parametrize("switch", [SWITCH, ALL])
def test_a_plugin_that_a_label_switches_off(switch):
    step = plugin(a_machine_with(gives=0, **{switch: "false"}), pods_but(PLUGIN))

    assert step.outcome.value == "FAIL"
    assert evidence_of(step) == {f"{LABEL}[{switch}]": "false"}
    assert step.remedies[0].text == f"kubectl label node {MACHINE} --overwrite {switch}=true"


def test_what_a_label_switches_off_is_not_missed_where_another_plugin_serves():
    assert plugin(a_machine_with(**{SWITCH: "false"}), pods_but(PLUGIN)).outcome.value == "PASS"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"sets": []}, "for the cluster has no DaemonSet of one"),
        ({"sets": [a_set(PLUGIN)]}, f"though DaemonSet {OPERATOR}/{PLUGIN} wants one there"),
        ({"sets": [a_set(PLUGIN, node_selector={"pool": "gpu"})]}, "is for nodes with pool=gpu"),
        (
            {"sets": [a_set(PLUGIN)], "namespaces": [a_namespace(**{ENFORCE: "restricted"})]},
            f"namespace {OPERATOR} enforces restricted, under which no pod",
        ),
        ({"contacts": {"operands": ABSENT}}, f"no pod of a device plugin is on {MACHINE}. See"),
        ({"contacts": {"operands": NEVER}}, f"no pod of a device plugin is on {MACHINE}. See"),
    ],
    ids=["not installed", "kept away", "not selected", "forbidden", "not to be seen", "silent"],
)
def test_a_plugin_that_is_not_there_and_why(told, said):
    step = plugin(EMPTY, pods_but(PLUGIN), **told)

    assert step.outcome.value == "FAIL"
    assert said in step.finding
    assert evidence_of(step)[f"nodes/{MACHINE} status.allocatable[nvidia.com/gpu]"] == "0"


def test_a_plugin_of_an_unknown_name_is_known_by_what_it_gives():
    step = plugin(pods=pods_but(PLUGIN))

    assert step.outcome.value == "PASS"
    assert evidence_of(step) == {f"nodes/{MACHINE} status.allocatable[nvidia.com/gpu]": "8"}


TAINTED = a_node(MACHINE, labelled(), {GPU: 8}, {GPU: 0}, taints=["team-a"])
TOLERANT = read_constraints(RawConstraints(tolerations=b'[{"operator": "Exists"}]'), ())
ELSEWHERE = read_constraints(
    RawConstraints(
        affinity=b"""{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "pool", "operator": "Exists"}]}]}}}"""
    ),
    (),
)
FORBIDS = "pods is forbidden: insufficient quota to match these scopes"


@pytest.mark.parametrize(
    ("node", "told", "said", "evidence"),
    [
        (
            TAINTED,
            {"sets": [a_set(PLUGIN)]},
            "does not tolerate the taint team-a",
            (f"nodes/{MACHINE} spec.taints[team-a].effect", "NoSchedule"),
        ),
        (TAINTED, {"sets": [a_set(PLUGIN, constraints=TOLERANT)]}, "wants one there", None),
        (
            EMPTY,
            {"sets": [a_set(PLUGIN, constraints=ELSEWHERE)]},
            f"the node affinity of DaemonSet {OPERATOR}/{PLUGIN} leaves it out",
            None,
        ),
        (
            EMPTY,
            {"events": [an_event(PLUGIN, FORBIDS)]},
            f"no pod of a device plugin is on {MACHINE}: {FORBIDS}",
            (f"events[DaemonSet/{OPERATOR}/{PLUGIN} FailedCreate].message", FORBIDS),
        ),
        (EMPTY, {"events": [an_event("other", FORBIDS)]}, "wants one there", None),
    ],
    ids=["a taint", "a taint that it tolerates", "its affinity", "a quota", "another DaemonSet's quota"],
)
def test_what_keeps_a_pod_of_the_plugin_away(node, told, said, evidence):
    step = plugin(node, pods_but(PLUGIN), **told)

    assert said in step.finding
    if evidence:
        assert evidence_of(step)[evidence[0]] == evidence[1]


@pytest.mark.parametrize("pods", [pods_but(), pods_but(PLUGIN)], ids=["it runs", "it is gone"])
def test_a_layout_that_the_strategy_does_not_allow_keeps_the_plugin_from_serving(pods):
    invalid = single(0, "INVALID", A100) | {"nvidia.com/gpu.replicas": "0"}

    step = plugin(a_node(MACHINE, LABELS | invalid, {GPU: 0}), pods)

    assert step.outcome.value == "FAIL"
    assert "the single strategy does not allow its MIG layout" in step.finding
    assert [one.action for one in step.remedies] == [RemedyAction.CHANGE_MIG_LAYOUT]
    assert evidence_of(step)[f"{LABEL}[nvidia.com/mig.strategy]"] == "single"


def test_cards_that_virtual_machines_are_given_are_by_design_not_offered_to_pods():
    workload = {"nvidia.com/gpu.workload.config": "vm-passthrough"}

    fleet = a_site(a_machine_with(has=0, gives=0, **workload), [])

    assert outcomes(fleet) == {"HARDWARE": "PASS", "DEVICE_PLUGIN": "WARN"}


def test_while_the_pods_are_silent_nobody_can_tell():
    step = plugin(contacts={"pods": NEVER})

    assert (step.outcome.value, "pods was never reached" in step.finding) == ("UNKNOWN", True)


def test_where_no_pod_is_known_and_what_is_offered_cannot_be_read_nothing_is_broken_yet():
    found = plugin(
        a_node(MACHINE, LABELS, capacity={GPU: 8}, allocatable={GPU: "many"}), pods=pods_but(PLUGIN)
    )

    assert (found.outcome, found.finding.split(". See")[0]) == (
        StepOutcome.UNKNOWN,
        f"{GPU}: 'many' is not a Kubernetes quantity",
    )
