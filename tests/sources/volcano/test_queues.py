from decimal import Decimal

import msgspec
import pytest

from gateway.errors import System
from gateway.fleet.unknown import Unknown
from gateway.sources.volcano.queues import queues
from tests.sources.kubernetes.reading import read, recorded, texts

QUEUES = queues("fleet")


def found(recording):
    return {queue.name: queue for queue in recorded(QUEUES, f"volcano/{recording}-queues.json")}


def a_queue(spec, status=None):
    return {"metadata": {"name": "vision"}, "spec": spec, "status": status or {}}


def test_keeps_amounts_as_people_wrote_them_numbers_too():
    vision = found("gang-running")["vision"]
    assert (vision.cluster, vision.state, vision.parent_name) == ("fleet", "Open", "root")
    assert vision.reclaimable is True
    assert texts(vision.capability) == {
        "cpu": "128",
        "ephemeral-storage": "1Ti",
        "memory": "1Ti",
        "nvidia.com/gpu": "16",
        "nvidia.com/mig-1g.10gb": "7",
    }
    assert texts(vision.deserved)["nvidia.com/mig-1g.10gb"] == "7"
    assert texts(vision.guarantee) == {"cpu": "4", "memory": "8Gi", "nvidia.com/gpu": "1"}
    assert texts(vision.allocated)["cpu"] == "4500m"
    assert not any(amount.unlimited for amount in vision.capability)


def test_reads_each_form_in_which_volcano_writes_an_amount():
    amounts = {
        (name, amount.resource): amount.value
        for name, queue in found("quantities").items()
        for amount in queue.allocated
    }
    assert amounts["qa", "nvidia.com/gpu"] == 1000  # 1k
    assert amounts["qb", "memory"] == 123 * 2**20
    assert amounts["qc", "memory"] == 129_000_000
    assert amounts["qd", "ephemeral-storage"] == 10**10
    assert amounts["qb", "cpu"] == Decimal("0.001")
    assert amounts["root", "cpu"] == Decimal("1016.702")
    assert amounts["qf", "nvidia.com/gpumem"] == 12_000


def test_what_a_queue_does_not_say_is_none():
    default = found("gang-running")["default"]
    assert default.capability is None
    assert default.deserved is None
    assert default.guarantee is None
    assert texts(default.allocated) == {"cpu": "0", "memory": "0"}
    bare, _ = read(QUEUES, {"metadata": {"name": "bare"}})
    assert (bare.allocated, bare.reclaimable, bare.parent_name, bare.state) == (None,) * 4


def test_says_nothing_is_deserved_only_where_the_queue_does():
    queue, _ = read(QUEUES, a_queue({"deserved": {}}))
    assert queue.deserved == ()


def test_has_no_state_where_no_controller_ever_ran():
    assert {queue.state for queue in found("queue-without-controller").values()} == {None}


def test_keeps_what_the_scheduler_of_1_13_writes_into_root():
    assert texts(found("v1130-reclaim-full")["root"].deserved) == {"cpu": "0", "memory": "0"}


def test_reads_states_and_parents():
    assert {name: queue.state for name, queue in found("queue-closed").items() if name.startswith("cv-")} == {
        "cv-closed": "Closed",
        "cv-closing": "Closing",
        "cv-open": "Open",
    }
    parents = {name: queue.parent_name for name, queue in found("hierarchy").items()}
    assert (parents["search-online"], parents["search"], parents["root"]) == ("search", "product", None)


def test_cpu_and_memory_of_zero_or_less_are_no_ceiling():
    queue, _ = read(QUEUES, a_queue({"capability": {"cpu": "0", "memory": -1, "nvidia.com/gpu": "0"}}))
    assert {amount.resource: amount.unlimited for amount in queue.capability} == {
        "cpu": True,
        "memory": True,
        "nvidia.com/gpu": False,
    }


@pytest.mark.parametrize(
    ("spec", "status", "path"),
    [
        ({"capability": {"nvidia.com/gpu": "8 cards"}}, {}, "spec.capability[nvidia.com/gpu]"),
        ({"deserved": {"nvidia.com/gpu": {}}}, {}, "spec.deserved[nvidia.com/gpu]"),
        ({"guarantee": {"resource": {"memory": "13GB"}}}, {}, "spec.guarantee.resource[memory]"),
        ({}, {"allocated": {"memory": "N/A"}}, "status.allocated[memory]"),
    ],
)
def test_an_amount_that_cannot_be_read_never_loses_the_queue(spec, status, path):
    queue, problems = read(QUEUES, a_queue({**spec, "parent": "root"}, status))
    assert queue.parent_name == "root"
    (amount,) = queue.capability or queue.deserved or queue.guarantee or queue.allocated
    assert isinstance(amount.value, Unknown)
    assert amount.value.system is System.QUEUES
    assert not amount.unlimited
    assert [it.path for it in problems] == [path]


def test_a_ceiling_that_is_no_mapping_is_not_taken_for_none():
    with pytest.raises(msgspec.ValidationError):
        read(QUEUES, a_queue({"capability": "everything"}))
