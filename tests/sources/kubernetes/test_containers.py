import msgspec
import pytest

from gateway.fleet.container import ContainerState
from gateway.sources.kubernetes.pods import read_pod

PLUGIN = "nvidia-device-plugin-daemonset"


def containers(status, owner=PLUGIN, kind="DaemonSet"):
    reference = {"kind": kind, "name": owner, "controller": True}
    metadata = {"name": "pod", "namespace": "gpu-operator", "ownerReferences": [reference]}
    body = {"metadata": metadata, "spec": {"nodeName": "gpu-01"}, "status": status}
    return read_pod("fleet", msgspec.Raw(msgspec.json.encode(body)), []).containers


CRASHED = {
    "name": "main",
    "ready": False,
    "restartCount": 7,
    "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}},
    "lastState": {"terminated": {"exitCode": 1, "reason": "Error"}},
}


def test_reads_what_the_containers_of_an_operand_do_init_containers_first():
    through = {"name": "init", "ready": True, "restartCount": 0, "state": {"terminated": {"exitCode": 0}}}

    assert containers({"containerStatuses": [CRASHED], "initContainerStatuses": [through]}) == (
        ContainerState(
            name="init", is_init=True, ready=True, restarts=0, waiting=None, message=None, exit_code=0
        ),
        ContainerState(
            name="main",
            is_init=False,
            ready=False,
            restarts=7,
            waiting="CrashLoopBackOff",
            message="back-off 5m0s",
            exit_code=1,
        ),
    )


def test_a_container_that_runs_waits_for_nothing():
    running = {"name": "main", "ready": True, "restartCount": 2, "state": {"running": {"startedAt": "x"}}}

    (found,) = containers({"containerStatuses": [running]})

    assert (found.ready, found.waiting, found.exit_code, found.restarts) == (True, None, None, 2)


@pytest.mark.parametrize(
    ("owner", "kind"), [("trainer", "Job"), ("node-exporter", "DaemonSet"), (PLUGIN, "ReplicaSet")]
)
def test_of_other_pods_nothing_is_kept(owner, kind):
    assert containers({"containerStatuses": [CRASHED]}, owner, kind) == ()


def test_a_pod_that_has_not_started_tells_of_no_container():
    assert containers({"phase": "Pending"}) == ()
