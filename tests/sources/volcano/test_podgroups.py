from datetime import UTC, datetime

import pytest

from gateway.fleet.unknown import Unknown
from gateway.sources.volcano.podgroups import pod_groups
from tests.sources.kubernetes.reading import read, recorded, texts

GROUPS = pod_groups("fleet")


def found(recording):
    return {group.name: group for group in recorded(GROUPS, f"volcano/{recording}-podgroups.json")}


def test_reads_a_recorded_group():
    train = found("gang-running")["train"]
    assert (train.cluster, train.namespace, train.queue_name) == ("fleet", "vision", "vision")
    assert (train.phase, train.min_member) == ("Running", 2)
    assert texts(train.min_resources) == {
        "cpu": "3",
        "ephemeral-storage": "20Gi",
        "memory": "13Gi",
        "nvidia.com/gpu": "8",
    }
    assert train.created_at == datetime(2026, 11, 29, 19, 9, 21, tzinfo=UTC)


def test_reads_every_phase():
    assert {name: group.phase for name, group in found("podgroup-phases").items()} == {
        "broken": "Unknown",
        "done": "Completed",
        "failed": "Unknown",
        "part": "Inqueue",
    }


def test_keeps_conditions_that_contradict_each_other_with_their_times():
    group = next(it for it in found("preempt-done").values() if len(it.conditions) == 2)
    assert {it.type: (it.status, it.since.second) for it in group.conditions} == {
        "Unschedulable": ("True", 55),
        "Scheduled": ("True", 58),
    }
    assert group.phase == "Running"


def test_keeps_each_resource_that_volcano_lists_twice():
    group = next(iter(found("preempt-done").values()))
    assert {"nvidia.com/gpu", "requests.nvidia.com/gpu", "count/pods"} <= texts(group.min_resources).keys()


def test_a_group_without_a_queue_is_in_the_default_one_and_waits():
    group, problems = read(GROUPS, {"metadata": {"name": "solo", "namespace": "a"}})
    assert (group.queue_name, group.phase, group.min_resources) == ("default", "Pending", ())
    assert not problems


@pytest.mark.parametrize("odd", [{"type": "Scheduled"}, 5])
def test_an_odd_condition_and_an_odd_amount_cost_only_themselves(odd):
    body = {
        "metadata": {"name": "train", "namespace": "a"},
        "spec": {"queue": "q", "minResources": {"nvidia.com/gpu": "many", "cpu": 2}},
        "status": {"phase": "Inqueue", "conditions": [odd]},
    }
    group, problems = read(GROUPS, body)
    cpu, gpu = group.min_resources
    assert cpu.value == 2
    assert isinstance(gpu.value, Unknown)
    assert (group.phase, group.conditions) == ("Inqueue", ())
    assert {it.path for it in problems} == {"status.conditions[0]", "spec.minResources[nvidia.com/gpu]"}


def test_reads_how_many_pods_of_each_task_are_needed():
    spec = {"queue": "q", "minMember": 3, "minTaskMember": {"worker": 2, "master": 1}}
    group, problems = read(GROUPS, {"metadata": {"name": "mpi", "namespace": "a"}, "spec": spec})
    assert group.min_tasks == (("master", 1), ("worker", 2))
    assert not problems
