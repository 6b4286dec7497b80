import json
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal

import msgspec
import pytest

from gateway.fleet.gpu import GpuClaim
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown
from gateway.fleet.workload import WorkloadState
from gateway.sources.kubernetes.pods import pods
from tests.sources.kubernetes.reading import RECORDINGS, read, recorded

PODS = pods("fleet")
GPU = "nvidia.com/gpu"


def a_pod(*containers, phase="Running", init=(), metadata=None, **spec):
    return {
        "metadata": {"name": "train-0", "namespace": "vision", "uid": "u1", **(metadata or {})},
        "spec": {"nodeName": "gpu-01", "containers": list(containers), "initContainers": list(init), **spec},
        "status": {"phase": phase},
    }


def asking(count, resource=GPU, **more):
    return {"resources": {"requests": {resource: count, "cpu": "1"}, "limits": {resource: count}}, **more}


def claims(body):
    pod, _ = read(PODS, body)
    return {claim.resource: claim.count for claim in pod.gpus}


def test_reads_a_recorded_pod():
    pod = next(it for it in recorded(PODS, "volcano/gang-running-pods.json") if it.name == "infer-0")
    assert (pod.cluster, pod.namespace, pod.uid) == (
        "fleet",
        "vision",
        "2756325a-3693-4d6e-b42b-e36694306a74",
    )
    assert (pod.phase, pod.state, pod.node_name) == ("Running", WorkloadState.RUNNING, "mig-a3")
    assert pod.gpus == (GpuClaim(resource="nvidia.com/mig-1g.10gb", unit=GpuUnit.SLICE, count=1),)
    assert (pod.priority, pod.priority_class, pod.scheduler_name) == (0, None, "volcano")
    assert (pod.group_name, pod.controller) == ("infer", None)
    assert pod.created_at == datetime(2026, 11, 29, 19, 9, 21, tzinfo=UTC)
    assert pod.started_at == datetime(2026, 11, 29, 19, 9, 21, tzinfo=UTC)
    assert not pod.terminating
    assert not pod.ended
    assert pod.holds_gpus


@pytest.mark.parametrize("fleet", ["f11-mixed-mig", "f16-zoo", "f23-shared"])
def test_claims_on_a_node_add_up_to_what_kube_scheduler_counts(fleet):
    sums = Counter()
    for pod in recorded(PODS, f"kubernetes/{fleet}/pods.json"):
        if pod.holds_gpus:
            sums.update({(pod.node_name, claim.resource): claim.count for claim in pod.gpus})
    accounts = json.loads((RECORDINGS / "kubernetes" / fleet / "accounts.json").read_text())
    assert sums == {
        (node, resource): amount
        for node, account in accounts.items()
        for resource, amount in account["requested"].items()
        if "/" in resource and sums[node, resource]
    }


def test_adds_up_containers_sidecars_and_overhead():
    body = a_pod(
        asking("2"),
        asking(1),
        init=[asking("1", restartPolicy="Always"), asking("2")],
        overhead={GPU: "1"},
    )
    assert claims(body) == {GPU: 5}


def test_leaves_out_zeros_and_what_is_no_gpu():
    assert claims(a_pod(asking("0"), {"resources": {"requests": {"cpu": "4", "rdma/hca": "1"}}})) == {}


def test_where_only_a_limit_is_given_it_is_the_request():
    assert claims(a_pod({"resources": {"limits": {GPU: "2"}}})) == {GPU: 2}


def test_a_plain_name_is_no_card_before_its_node_is_known():
    pod, _ = read(PODS, a_pod(asking("1"), asking("1", "nvidia.com/gpu.shared")))
    assert {claim.resource: claim.unit for claim in pod.gpus} == {
        GPU: None,
        "nvidia.com/gpu.shared": GpuUnit.SHARE,
    }


def test_memory_is_counted_beyond_devices():
    assert claims(a_pod(asking("40960", "volcano.sh/vgpu-memory"))) == {"volcano.sh/vgpu-memory": 40960}


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("two", f"spec.containers[0].resources.requests[{GPU}]"),
        ("0.5", f"spec[{GPU}]"),
        ("2k", f"spec[{GPU}]"),
    ],
)
def test_a_count_that_cannot_be_told_is_unknown_and_named(written, path):
    body = a_pod({"resources": {"requests": {GPU: written, "amd.com/gpu": "1"}}})
    pod, problems = read(PODS, body)
    counts = {claim.resource: claim.count for claim in pod.gpus}
    assert isinstance(counts[GPU], Unknown)
    assert counts["amd.com/gpu"] == 1
    assert [it.path for it in problems] == [path]


@pytest.mark.parametrize(
    ("phase", "node", "deleted", "state"),
    [
        ("Pending", None, False, WorkloadState.PENDING),
        ("Pending", "gpu-01", False, WorkloadState.STARTING),
        ("Running", "gpu-01", False, WorkloadState.RUNNING),
        ("Running", "gpu-01", True, WorkloadState.TERMINATING),
        ("Pending", None, True, WorkloadState.TERMINATING),
        ("Succeeded", "gpu-01", False, WorkloadState.SUCCEEDED),
        ("Failed", "gpu-01", True, WorkloadState.FAILED),
        ("Unknown", "gpu-01", False, WorkloadState.UNKNOWN),
        ("Strange", "gpu-01", False, WorkloadState.UNKNOWN),
    ],
)
def test_tells_how_far_a_pod_is(phase, node, deleted, state):
    metadata = {"deletionTimestamp": "2026-11-29T19:00:00Z"} if deleted else {}
    pod, _ = read(PODS, a_pod(phase=phase, metadata=metadata, nodeName=node))
    assert pod.state is state
    assert pod.terminating is deleted
    assert pod.ended is (state in {WorkloadState.SUCCEEDED, WorkloadState.FAILED})


def test_its_controller_is_the_owner_that_controls_it():
    owners = [
        {"kind": "Node", "name": "gpu-01"},
        {"kind": "ReplicaSet", "name": "infer-5d", "controller": True},
    ]
    pod, _ = read(PODS, a_pod(metadata={"ownerReferences": owners}))
    assert pod.controller == "ReplicaSet/infer-5d"


@pytest.mark.parametrize(
    "body",
    [
        a_pod("not a container"),
        a_pod({"resources": {"requests": "all"}}),
        a_pod(nodeName=7),
        a_pod(phase=None),
        a_pod(metadata={"deletionTimestamp": 5}),
    ],
)
def test_a_pod_whose_claims_or_state_cannot_be_told_is_not_read(body):
    with pytest.raises(msgspec.ValidationError):
        read(PODS, body)


def test_what_does_not_matter_to_its_claims_costs_only_itself():
    pod, problems = read(PODS, a_pod(asking("1"), priority="high", metadata={"annotations": []}))
    assert (pod.priority, pod.group_name) == (None, None)
    assert [claim.count for claim in pod.gpus] == [1]
    assert {it.path for it in problems} == {"spec.priority", "metadata.annotations"}


def test_reads_what_it_asks_of_every_resource_zeros_left_out():
    body = a_pod(
        {"resources": {"requests": {"cpu": "1500m", "memory": "13Gi"}, "limits": {"rdma/hca": 1}}},
        {"resources": {"requests": {"cpu": 2, "ephemeral-storage": "0"}}},
        overhead={"cpu": "100m"},
    )
    pod, _ = read(PODS, body)
    assert dict(pod.requests) == {"cpu": Decimal("3.6"), "memory": 13 * 2**30, "rdma/hca": 1}


def test_pods_that_ask_alike_share_what_was_read_and_its_problems():
    odd = {"resources": {"requests": {"cpu": "lots", GPU: "1"}}}
    first, said = read(PODS, a_pod(odd))
    second, again = read(PODS, a_pod(odd, metadata={"name": "train-1"}))
    assert first.requests is second.requests
    assert isinstance(first.requests["cpu"], Unknown)
    assert first.requests[GPU] == 1
    assert (
        [it.path for it in said]
        == [it.path for it in again]
        == ["spec.containers[0].resources.requests[cpu]"]
    )


@pytest.mark.parametrize(
    ("marks", "preemptable"),
    [
        ({}, True),
        ({"annotations": {"volcano.sh/preemptable": "false"}}, False),
        ({"labels": {"volcano.sh/preemptable": "false"}}, False),
        (
            {
                "annotations": {"volcano.sh/preemptable": "true"},
                "labels": {"volcano.sh/preemptable": "false"},
            },
            True,
        ),
    ],
)
def test_may_be_evicted_unless_a_mark_says_otherwise_the_annotation_before_the_label(marks, preemptable):
    pod, _ = read(PODS, a_pod(metadata=marks))
    assert pod.preemptable is preemptable


def test_reads_whether_it_waits_at_a_gate_and_whether_it_takes_from_others():
    body = a_pod(schedulingGates=[{"name": "example.com/quota"}], preemptionPolicy="Never")
    held, plain = read(PODS, body)[0], read(PODS, a_pod())[0]
    assert (held.gated, held.preempts) == (True, False)
    assert (plain.gated, plain.preempts) == (False, True)


def test_reads_its_role_in_its_group():
    marked = a_pod(metadata={"annotations": {"volcano.sh/task-spec": "worker"}})
    assert read(PODS, marked)[0].task == "worker"
    assert read(PODS, a_pod())[0].task is None


def test_tells_which_gpus_it_was_given_and_did_not_ask_for():
    note = f"LimitRanger plugin set: cpu, {GPU} request for container main; {GPU} limit for container main"
    given = {"annotations": {"kubernetes.io/limit-ranger": note}}
    assert read(PODS, a_pod(asking("4"), metadata=given))[0].gpus_given == (GPU,)
    assert read(PODS, a_pod(asking("4", f"{GPU}.shared"), metadata=given))[0].gpus_given == ()


def resized(spec, actual, allocated, **more):
    body = a_pod({"name": "main", "resources": {"requests": spec}}, **more)
    told = {"name": "main", "resources": {"requests": actual}, "allocatedResources": allocated}
    return {**body, "status": {"phase": "Running", "containerStatuses": [told]}}


@pytest.mark.parametrize(
    ("spec", "actual", "allocated", "most"),
    [
        ({"cpu": "2"}, {"cpu": "5"}, {"cpu": "2"}, 5),
        ({"cpu": "6"}, {"cpu": "5"}, {"cpu": "2"}, 6),
        ({"cpu": "2"}, {"cpu": "1"}, {"cpu": "4"}, 4),
        ({"cpu": "2"}, {"cpu": "2"}, {"cpu": "2"}, 2),
    ],
)
def test_while_a_container_is_resized_the_most_of_all_counts(spec, actual, allocated, most):
    pod, problems = read(PODS, resized(spec, actual, allocated))

    assert (dict(pod.requests), problems) == ({"cpu": Decimal(most)}, [])


def test_what_is_asked_in_vain_does_not_count():
    body = resized({"cpu": "9"}, {"cpu": "2"}, {"cpu": "2"})
    condition = {"type": "PodResizePending", "status": "True", "reason": "Infeasible"}
    pod, _ = read(PODS, {**body, "status": {**body["status"], "conditions": [condition]}})

    assert dict(pod.requests) == {"cpu": Decimal(2)}


def test_pods_that_ask_and_have_the_same_share_their_requests():
    one, another = (read(PODS, resized({"cpu": "3"}, {"cpu": "3"}, {"cpu": "3"}))[0] for _ in range(2))

    assert one.requests is another.requests


def test_reads_where_room_is_made_for_it_while_it_waits():
    waiting = {**a_pod(nodeName=None), "status": {"phase": "Pending", "nominatedNodeName": "gpu-02"}}
    bound = {**a_pod(), "status": {"phase": "Running", "nominatedNodeName": "gpu-01"}}

    assert [read(PODS, body)[0].nominated_node for body in (waiting, bound)] == ["gpu-02", None]
