from datetime import UTC, datetime
from decimal import Decimal

import msgspec
import pytest

from gateway.fleet.condition import Condition
from gateway.fleet.node import Taint
from gateway.fleet.unknown import Unknown
from gateway.sources.kubernetes.nodes import nodes
from tests.sources.kubernetes.reading import read, recorded

NODES = nodes("fleet")


def a_node(*, spec=None, status=None, **metadata):
    return {
        "metadata": {"name": "gpu-01", "uid": "u1", **metadata},
        "spec": spec or {},
        "status": status or {"conditions": [{"type": "Ready", "status": "True"}]},
    }


def with_gpus(capacity, allocatable=None):
    return a_node(status={"capacity": capacity, "allocatable": allocatable or capacity})


def cordoned(*owners):
    fields = [
        {"manager": manager, "time": time, "fieldsV1": {"f:spec": {f"f:{field}": {}}}}
        for manager, time, field in owners
    ]
    return a_node(spec={"unschedulable": True}, managedFields=fields)


def test_reads_every_node_of_a_recorded_fleet():
    found = {node.name: node for node in recorded(NODES, "kubernetes/f16-zoo/nodes.json")}
    assert found.keys() == {"amd-01", "cpu-04", "mig-a30-05", "mixed-02", "slice-03"}
    mig = found["mig-a30-05"]
    assert (mig.cluster, mig.kubelet_version, mig.ready) == ("fleet", "v1.36.3", True)
    assert {it.name: it.capacity.value for it in mig.resources} == {
        "nvidia.com/gpu": 0,
        "nvidia.com/mig-2g.12gb": 4,
        "nvidia.com/mig-4g.24gb": 2,
    }
    assert found["cpu-04"].cordoned
    assert found["cpu-04"].resources == ()
    assert found["slice-03"].taints == (Taint(key="dedicated", value="ml", effect="NoSchedule"),)
    assert found["slice-03"].gpu_labels.product == "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"
    assert found["amd-01"].resources[0].allocatable.value == 8
    assert found["amd-01"].gpu_labels.is_gpu_machine
    assert not found["cpu-04"].gpu_labels.is_gpu_machine


def test_keeps_what_a_node_offers_as_written_and_as_a_number():
    node, problems = read(NODES, with_gpus({"nvidia.com/gpu": "1k", "cpu": "8"}, {"nvidia.com/gpu": 7}))
    (gpu,) = node.resources
    assert (gpu.capacity.text, gpu.capacity.value) == ("1k", Decimal(1000))
    assert (gpu.allocatable.text, gpu.allocatable.value) == ("7", Decimal(7))
    assert not problems


def test_a_key_that_a_node_does_not_have_is_none_and_zero_is_zero():
    node, _ = read(NODES, a_node(status={"capacity": {"nvidia.com/gpu": "0"}}))
    (gpu,) = node.resources
    assert gpu.capacity.value == 0
    assert gpu.allocatable is None


def test_an_amount_that_cannot_be_read_is_unknown_and_named():
    node, problems = read(NODES, with_gpus({"nvidia.com/gpu": "8GB"}, {"nvidia.com/gpu": "8"}))
    (gpu,) = node.resources
    assert isinstance(gpu.capacity.value, Unknown)
    assert gpu.capacity.text == "8GB"
    assert gpu.allocatable.value == 8
    assert [(it.path, it.raw) for it in problems] == [("status.capacity[nvidia.com/gpu]", "8GB")]


@pytest.mark.parametrize("text", ["0.5", "-1", "13Gi", "18e18"])
def test_an_amount_that_is_no_count_keeps_its_value_and_is_named(text):
    node, problems = read(NODES, with_gpus({"nvidia.com/gpu": text}, {"nvidia.com/gpu": "8"}))
    assert isinstance(node.resources[0].capacity.value, Decimal)
    assert [(it.path, it.raw) for it in problems] == [("status.capacity[nvidia.com/gpu]", text)]


@pytest.mark.parametrize(
    ("resource", "amount"), [("volcano.sh/vgpu-memory", "655360"), ("volcano.sh/vgpu-cores", "1600")]
)
def test_memory_and_cores_may_be_more_than_devices(resource, amount):
    _, problems = read(NODES, with_gpus({resource: amount}))
    assert not problems


@pytest.mark.parametrize("written", [True, None, {"a": 1}, []])
def test_an_amount_of_another_type_costs_only_itself(written):
    node, problems = read(
        NODES, with_gpus({"nvidia.com/gpu": written, "amd.com/gpu": "2"}, {"amd.com/gpu": "2"})
    )
    amd, nvidia = node.resources
    assert amd.capacity.value == 2
    assert isinstance(nvidia.capacity.value, Unknown)
    assert len(problems) == 1


def test_a_condition_without_status_costs_only_itself():
    conditions = [
        {"type": "Odd"},
        {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-29T19:09:19Z", "reason": "Up"},
    ]
    node, problems = read(NODES, a_node(status={"conditions": conditions}))
    since = datetime(2026, 11, 29, 19, 9, 19, tzinfo=UTC)
    up = Condition(type="Ready", status="True", reason="Up", message=None, since=since)
    assert node.conditions == (up,)
    assert node.ready is True
    assert [(it.path, it.raw) for it in problems] == [("status.conditions[0]", '{"type": "Odd"}')]


def test_a_taint_without_effect_and_a_label_that_is_a_number_cost_only_themselves():
    body = a_node(
        spec={"taints": [{"key": "a", "effect": "NoSchedule"}, {"key": "b"}]},
        labels={"zone": "z1", "nvidia.com/gpu.count": 8, "other": 1},
    )
    node, problems = read(NODES, body)
    assert [taint.key for taint in node.taints] == ["a"]
    assert node.labels == {"zone": "z1"}
    assert isinstance(node.gpu_labels.count, Unknown)
    assert {it.path for it in problems} == {
        "spec.taints[1]",
        "metadata.labels[nvidia.com/gpu.count]",
        "metadata.labels[other]",
    }


def test_a_time_that_cannot_be_read_is_unknown():
    conditions = [{"type": "Ready", "status": "False", "lastTransitionTime": "yesterday"}]
    node, problems = read(NODES, a_node(status={"conditions": conditions}))
    assert node.ready is False
    assert isinstance(node.conditions[0].since, Unknown)
    assert problems[0].path == "status.conditions[0].lastTransitionTime"


@pytest.mark.parametrize(("status", "ready"), [("True", True), ("False", False), ("Unknown", False)])
def test_is_ready_where_the_condition_is_true(status, ready):
    node, _ = read(NODES, a_node(status={"conditions": [{"type": "Ready", "status": status}]}))
    assert node.ready is ready


@pytest.mark.parametrize("conditions", [None, [], [{"type": "Ready"}]])
def test_readiness_is_unknown_where_nothing_tells_it(conditions):
    node, _ = read(NODES, a_node(status={"conditions": conditions}))
    assert isinstance(node.ready, Unknown)


@pytest.mark.parametrize(
    "body",
    [
        {"metadata": {}},
        {"spec": {}},
        [],
        a_node(status={"capacity": "8"}),
        a_node(spec={"unschedulable": "yes"}),
        {"metadata": {"name": 8}},
    ],
)
def test_a_node_that_says_nothing_of_what_matters_is_not_read(body):
    with pytest.raises(msgspec.ValidationError):
        read(NODES, body)


def test_the_manager_of_the_field_cordoned_it():
    node, _ = read(
        NODES,
        cordoned(
            ("kubelet", "2026-11-29T10:00:00Z", "podCIDR"),
            ("gpu-operator", "2026-11-29T09:00:00Z", "unschedulable"),
            ("kubectl-cordon", "2026-11-29T10:00:00Z", "unschedulable"),
        ),
    )
    assert node.cordoned
    assert node.cordoned_by == "kubectl-cordon"


@pytest.mark.parametrize(
    "body",
    [
        a_node(spec={"unschedulable": True}),
        cordoned(("kubelet", "2026-11-29T10:00:00Z", "podCIDR")),
        a_node(spec={"unschedulable": True}, managedFields="none"),
    ],
)
def test_who_cordoned_is_unknown_where_the_node_does_not_tell(body):
    node, _ = read(NODES, body)
    assert isinstance(node.cordoned_by, Unknown)


def test_nobody_cordoned_a_node_that_is_not_cordoned():
    fields = [{"manager": "kubectl", "fieldsV1": {"f:spec": {"f:unschedulable": {}}}}]
    node, _ = read(NODES, a_node(managedFields=fields))
    assert not node.cordoned
    assert node.cordoned_by is None


def test_keeps_the_annotation_of_hami():
    register = "GPU-1,10,81559,100,NVIDIA-H100,0,true:"
    node, _ = read(NODES, a_node(annotations={"hami.io/node-nvidia-register": register, "other": "x"}))
    assert node.hami_register == register


def test_reads_what_it_has_of_every_resource():
    has = {"cpu": "63920m", "memory": "250Gi", "pods": "110", "nvidia.com/gpu": "8", "rdma/hca": "many"}
    found, _ = read(NODES, a_node(status={"capacity": {}, "allocatable": has}))

    unread = found.allocatable["rdma/hca"]
    assert isinstance(unread, Unknown)
    assert dict(found.allocatable.delete("rdma/hca")) == {
        "cpu": Decimal("63.92"),
        "memory": Decimal(250 * 2**30),
        "pods": Decimal(110),
        "nvidia.com/gpu": Decimal(8),
    }


def test_nodes_that_have_the_same_share_it():
    one, another = (read(NODES, a_node(status={"allocatable": {"cpu": "64"}}))[0] for _ in range(2))

    assert one.allocatable is another.allocatable
