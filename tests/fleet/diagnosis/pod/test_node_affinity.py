from dataclasses import replace

from tests.fleet.diagnosis.pod.cases import FAIL, GPU, PASS, WARN, advice, diagnosed, machine, step, told
from tests.fleet.scheduling.scenes import any_of, expression, node, pod, requires
from tests.gpu_labels import single, whole


def affinity(ask, *nodes):
    return step(diagnosed(ask, nodes), "NODE_AFFINITY")


def test_tells_who_lacks_the_label_and_what_the_others_have():
    nodes = [node("a", labels={"disk": "hdd"}), node("b", labels={"disk": "nvme"}), node("c")]

    found = affinity(pod(nodeSelector={"disk": "ssd"}), *nodes)

    assert found.outcome is FAIL
    assert found.finding == (
        "not met by each of the 3 nodes: disk=ssd is required; "
        "without the label: c, the nodes have hdd (1), nvme (1)"
    )
    assert told(found) == {"nodes/a metadata.labels[disk]": "hdd"}
    assert advice(found)[0] == ("CHANGE_REQUEST", "do not require disk=ssd, a has hdd; then it fits on a")


def test_a_label_that_no_node_has_is_evidence_of_its_absence():
    found = affinity(pod(nodeSelector={"disk": "ssd"}), node("a"))

    assert told(found) == {"nodes/a metadata.labels[disk]": None}


def test_only_what_the_nearest_term_lacks_is_told():
    far = {"matchExpressions": [expression("x", "Exists"), expression("y", "Exists")]}
    near = {"matchExpressions": [expression("disk", "In", "ssd"), expression("zone", "Exists")]}

    found = affinity(pod(**any_of(far, near)), node("a", labels={"zone": "z1"}))

    assert found.finding == "not met by the only node: disk=ssd is required; without the label: a"


def test_each_operator_is_written_in_words():
    expressions = [
        expression("a", "NotIn", "1", "2"),
        expression("b", "Exists"),
        expression("c", "DoesNotExist"),
        expression("d", "Gt", "5"),
    ]

    found = affinity(pod(**requires(*expressions)), node("n", labels={"a": "1", "c": "x", "d": "5"}))

    for words in ("a not in (1, 2)", "the label b", "no label c", "d > 5"):
        assert f"{words} is required" in found.finding


def test_terms_that_admit_nothing_are_told():
    found = affinity(pod(**any_of({})), node("a"))

    assert "its terms exclude each other, or require nothing at all" in found.finding
    assert advice(found) == [
        (
            "CHANGE_REQUEST",
            "take the terms of its affinity to nodes out: they admit no node; then it fits on a",
        )
    ]


def test_a_node_that_is_asked_for_by_name_is_a_requirement_too():
    by_name = requires(fields=[{"key": "metadata.name", "operator": "In", "values": ["b"]}])

    found = affinity(pod(**by_name), node("a"), node("b"))

    assert (found.outcome, found.finding) == (
        WARN,
        "not met by 1 of 2 nodes: metadata.name=b is required; the nodes have a (1)",
    )


def test_what_every_node_meets_passes():
    assert affinity(pod(nodeSelector={"disk": "ssd"}), node(labels={"disk": "ssd"})).outcome is PASS


def test_it_fails_where_taints_leave_only_nodes_that_do_not_meet_it():
    nodes = [node("a"), node("b", labels={"disk": "ssd"}, cordoned=True)]

    assert affinity(pod(nodeSelector={"disk": "ssd"}), *nodes).outcome is FAIL


def test_whole_cards_are_advised_before_slices_that_go_by_their_name():
    slices = {**single(56, "1g.10gb"), "nvidia.com/gpu.memory": "9856"}
    nodes = [
        machine("a", {GPU: "56"}, {GPU: "56"}, slices),
        machine("b", {GPU: "8"}, {GPU: "8"}, {"nvidia.com/gpu.memory": "81559"}),
    ]

    found = affinity(
        pod(asks={GPU: "1"}, **requires(expression("nvidia.com/gpu.memory", "Gt", "150000"))), *nodes
    )

    assert advice(found)[0][1].endswith("b has 81559; then it fits on b")


def test_who_asks_for_whole_cards_of_a_type_is_not_told_to_put_up_with_slices():
    slices = machine("a", {GPU: "56"}, {GPU: "56"}, single(56, "1g.10gb"))
    cards = replace(machine("b", {GPU: "8"}, {GPU: "8"}, whole(8)), cordoned=True)
    named = pod(asks={GPU: "1"}, nodeSelector={"nvidia.com/gpu.product": whole(8)["nvidia.com/gpu.product"]})

    assert [text for _, text in advice(diagnosed(named, [slices, cards]))] == [
        "uncordon b; then it fits on b"
    ]


def test_a_pod_of_a_daemon_set_is_not_advised_to_go_to_another_node():
    named = pod(**requires(fields=[expression("metadata.name", "In", "a")]))
    owned = replace(named, controller="DaemonSet/exporter")
    nodes = [node("a", cordoned=True), node("b")]

    assert advice(diagnosed(named, nodes))[0][1].startswith("uncordon a")
    assert [one for one, _ in advice(diagnosed(owned, nodes))] == ["UNCORDON"]
