from tests.fleet.diagnosis.pod.cases import FAIL, GPU, PASS, advice, checks, diagnosed, step, told
from tests.fleet.scheduling.scenes import node, pod


def holding(*counts):
    return [pod(f"p{at}", on=f"n{at}", asks={GPU: str(count)}) for at, count in enumerate(counts)]


def nodes(count, **more):
    return [node(f"n{at}", **more) for at in range(count)]


def scattered(asked, running, machines):
    return step(diagnosed(pod(asks={GPU: str(asked)}), machines, running), "FRAGMENTATION")


def test_enough_in_sum_and_on_no_node():
    found = scattered(4, holding(5, 6, 6), nodes(3))

    assert found.outcome is FAIL
    assert found.finding == f"7 of {GPU} are left on 3 nodes, and 4 on none: n0 has 3"
    assert told(found)[f"nodes/n0 status.allocatable[{GPU}]"] == "8, 3 left"


def test_what_is_behind_a_cordon_does_not_count():
    found = scattered(4, holding(5, 6), [node("n0"), node("n1", cordoned=True)])

    assert found.outcome is PASS


def test_too_little_in_sum_is_no_fragmentation():
    assert scattered(8, holding(7, 7), nodes(2)).outcome is PASS


def test_enough_on_one_node_is_none():
    assert scattered(4, holding(4, 6), nodes(2)).outcome is PASS


def test_the_least_that_must_be_freed_is_on_the_emptiest_node():
    diagnosis = diagnosed(pod(asks={GPU: "4"}), nodes(2), holding(6, 5))

    assert advice(diagnosis) == [
        ("FREE_WORKLOADS", f"free 1 {GPU} on n1, of vision/p1 for instance; then it fits on n1")
    ]


def test_a_pod_without_devices_is_not_asked():
    assert "FRAGMENTATION" not in checks(diagnosed(pod(asks={"cpu": "1"}), nodes(1)))
