import pytest

from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck
from tests.fleets import ABSENT, NEVER
from tests.gpu_operator import (
    DISCOVERY,
    MACHINE,
    OPERATOR,
    PLUGIN,
    TOOLKIT,
    a_machine_with,
    a_set,
    a_site,
    an_event,
    container,
    evidence_of,
    pod_of,
    pods_but,
    step_of,
)

RUNTIME = f"nodes/{MACHINE} status.nodeInfo.containerRuntimeVersion"


def runtime(*args, **told):
    return step_of(a_site(*args, **told), DiagnosisCheck.RUNTIME)


def test_a_runtime_class_that_operands_ask_for_and_is_not_there():
    step = runtime(
        a_machine_with(has=0, gives=0), [], [a_set(PLUGIN, runtime_class="nvidia")], classes=["runc"]
    )

    assert step.outcome.value == "FAIL"
    assert f"DaemonSet {OPERATOR}/{PLUGIN} asks for the runtime class nvidia" in step.finding
    assert step.finding.endswith("See: kubectl get runtimeclasses")
    assert evidence_of(step) == {
        f"daemonsets/{OPERATOR}/{PLUGIN} spec.template.spec.runtimeClassName": "nvidia",
        "runtimeclasses/nvidia": None,
    }


def test_a_runtime_class_that_only_operands_of_other_machines_ask_for_is_not_missed():
    elsewhere = a_set(PLUGIN, runtime_class="nvidia", node_selector={"pool": "other"})

    assert runtime(sets=[elsewhere], classes=[]).outcome.value == "PASS"


@pytest.mark.parametrize(
    ("pods", "said"),
    [
        ([pod_of(TOOLKIT, container(waiting="CrashLoopBackOff", restarts=3))], "was restarted 3 times"),
        (
            [pod_of(PLUGIN, container("toolkit-validation", is_init=True, ready=False), phase="Pending")],
            "does not get past its init container toolkit-validation",
        ),
    ],
    ids=["it crashes", "the device plugin waits for it"],
)
def test_a_container_toolkit_that_is_not_ready(pods, said):
    step = runtime(a_machine_with(gives=0), pods)

    assert step.outcome.value == "FAIL"
    assert said in step.finding


NO_RUNTIME = 'failed to get sandbox runtime: no runtime for "nvidia" is configured'


@pytest.mark.parametrize(
    ("pod", "outcome"),
    [
        (pod_of(PLUGIN, container(waiting="ContainerCreating"), phase="Pending"), "FAIL"),
        (pod_of(PLUGIN, container()), "PASS"),
    ],
    ids=["it waits", "it runs by now"],
)
def test_a_runtime_that_the_machine_does_not_have(pod, outcome):
    said = an_event(f"{PLUGIN}-x7k2p", NO_RUNTIME, "FailedCreatePodSandBox", "Pod")

    step = runtime(a_machine_with(gives=0), [*pods_but(PLUGIN), pod], events=[said])

    assert step.outcome.value == outcome
    if outcome == "FAIL":
        at = f"events[Pod/{OPERATOR}/{PLUGIN}-x7k2p FailedCreatePodSandBox].message"
        assert evidence_of(step) == {at: NO_RUNTIME}


@pytest.mark.parametrize(
    ("node", "pods", "outcome", "said"),
    [
        (a_machine_with(), [], "PASS", "a device plugin sees the cards"),
        (a_machine_with(gives=0), pods_but(PLUGIN), "PASS", "the container toolkit has set up containerd"),
        (a_machine_with(gives=0), [pod_of(DISCOVERY, container())], "PASS", "by the runtime class nvidia"),
        (a_machine_with(gives=0), [], "UNKNOWN", "how that is set up Kubernetes does not tell"),
    ],
    ids=["cards are given", "the toolkit runs", "another operand runs", "nothing tells"],
)
def test_what_shows_that_containers_see_the_cards(node, pods, outcome, said):
    step = runtime(node, pods)

    assert (step.outcome.value, said in step.finding) == (outcome, True), step.finding
    assert evidence_of(step) == {RUNTIME: "containerd://2.1"}


@pytest.mark.parametrize("silent", ["operands", "runtimeclasses", "pods"])
def test_while_a_listing_is_silent_nobody_can_tell(silent):
    step = runtime(contacts={silent: NEVER})

    assert step.outcome.value == "UNKNOWN"
    assert f"kubernetes/fleet/{silent} was never reached" in step.finding


@pytest.mark.parametrize("absent", ["operands", "runtimeclasses"])
def test_a_cluster_that_does_not_serve_a_listing_is_judged_without_it(absent):
    assert runtime(classes=[], contacts={absent: ABSENT}).outcome.value == "PASS"
