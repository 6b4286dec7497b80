import pytest

from tests.fleet.diagnosis.pod.cases import FAIL, GPU, PASS, UNKNOWN, advice, diagnosed, step, told
from tests.fleet.scheduling.scenes import node, pod
from tests.recorded_scheduler import lines


def shape(ask, *nodes):
    return step(diagnosed(ask, nodes), "REQUEST_SHAPE")


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("nvidia/gpu", GPU),
        ("nvidia.com/GPU", GPU),
        ("nvidia.com/gpus", GPU),
        ("limits.nvidia.com/gpu", GPU),
        ("alpha.kubernetes.io/nvidia-gpu", GPU),
        ("nvidia.com/MIG-1g.10gb", "nvidia.com/mig-1g.10gb"),
    ],
)
def test_a_misspelling_that_the_api_server_accepts_is_told(asked, meant):
    has = {"cpu": "8", "pods": "10", GPU: "8", "nvidia.com/mig-1g.10gb": "7"}

    found = shape(pod(asks={asked: "1"}), node("a", has=has))

    assert (found.outcome, found.finding) == (FAIL, f"no node offers {asked}: {meant} is meant")
    assert told(found) == {f"pods/vision/ask requests[{asked}]": "1"}
    assert advice(found) == [("CHANGE_REQUEST", f"ask for {meant} instead of {asked}; then it fits on a")]


def test_the_right_name_may_not_be_enough():
    found = shape(pod(asks={"nvidia/gpu": "1"}), node("a", cordoned=True))

    assert found.remedies[0].text == (
        f"ask for {GPU} instead of nvidia/gpu; "
        "not enough by itself, for nodes then say: 1 node(s) were unschedulable"
    )


def test_the_right_name_promises_nothing_where_its_amount_cannot_be_read():
    found = shape(pod(asks={"nvidia/gpu": "1"}), node("a", has={GPU: "many", "pods": "10"}))

    assert found.remedies[0].text == (
        f"ask for {GPU} instead of nvidia/gpu; "
        f"whether it then fits is not known: {GPU}: 'many' is not a Kubernetes quantity"
    )


def test_a_name_that_a_node_offers_is_no_misspelling():
    found = shape(pod(asks={"nvidia.com/GPU": "1"}), node("a", has={"nvidia.com/GPU": "1", "pods": "10"}))

    assert found.outcome is PASS


def test_a_name_that_resembles_nothing_is_left_to_capacity():
    diagnosis = diagnosed(pod(asks={"example.com/fpga": "1"}), [node("a")])

    assert step(diagnosis, "REQUEST_SHAPE").outcome is PASS
    assert step(diagnosis, "CAPACITY").outcome is FAIL


def test_whole_numbers_pass_and_are_told():
    found = shape(pod(asks={GPU: "2", "cpu": "500m"}), node("a"))

    assert found.finding == f"it asks for 2 {GPU}: whole numbers, and no name is a misspelling"


def test_a_pod_without_devices_passes():
    assert shape(pod(asks={"cpu": "1"}), node("a")).finding == "it asks for no devices, so for no GPU"


def test_of_all_odd_requests_that_the_api_server_accepts_those_of_wrong_names_are_blamed():
    blamed = set()
    for one in (one for one in lines("refusals.jsonl") if one["accepted"]):
        asked = one["stored"]["containers"][0]["resources"].get("requests", {})
        if shape(pod(asks=asked), node("a")).outcome is FAIL:
            blamed.add(one["name"])

    assert blamed == {"name-no-domain", "name-limits-prefix", "name-alpha-gpu"}


def test_the_api_server_lets_no_fraction_of_a_device_become_a_pod():
    fractions = [one for one in lines("refusals.jsonl") if one["name"] in {"gpu-half", "gpu-500m"}]

    assert [one["accepted"] for one in fractions] == [False, False]


def test_a_fraction_would_be_told_all_the_same():
    found = shape(pod(asks={GPU: "500m"}), node("a"))

    assert (found.outcome, found.code.value) == (FAIL, "MISCONFIGURED")
    assert found.finding == f"0.5 of {GPU} is no whole number, and devices are given whole"


def test_an_amount_that_cannot_be_read_is_not_judged():
    assert shape(pod(asks={GPU: "two"}), node("a")).outcome is UNKNOWN
