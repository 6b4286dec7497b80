import pytest

from gateway.errors import System
from gateway.fleet.source import SourceKey
from gateway.fleet.unknown import Unknown, UnknownCode
from gateway.fleet.usage import allocations
from tests.builders import CLUSTER, a_node, a_pod, a_price, a_queue, a_workspace, some_records
from tests.fleets import ABSENT, NEVER, NODES, PODS, QUEUES, a_fleet, a_keeper
from tests.gpu_labels import A100, GPU, H100, mixed, shared, single, whole

NODES_OF_BOTH = (a_node("h-1"), a_node("a-1", labels=whole(8, A100)))
BOTH = {H100: 4, A100: 2}


def told(workspace=None, allocated=None, **fleet):
    """What a workspace holds by GPU type: (used, headroom, borrowed)."""
    fleet.setdefault("nodes", NODES_OF_BOTH)
    queue = a_queue(allocated={} if allocated is None else allocated)
    drawn = allocations(workspace or a_workspace(), a_fleet(queues=[queue], **fleet))
    return {one.gpu_type.name: (one.used, one.headroom, one.borrowed) for one in drawn}


COUNTED = {
    "what the queue says": ({GPU: "3"}, (3, 1, 0)),
    "with a suffix": ({GPU: "0.004k"}, (4, 0, 0)),
    "beyond what was given": ({GPU: "7"}, (7, 0, 3)),
    "no word of GPUs means that no task holds any": ({"cpu": "0", "memory": "13Gi"}, (0, 4, 0)),
}


@pytest.mark.parametrize(("allocated", "expected"), COUNTED.values(), ids=COUNTED.keys())
def test_a_workspace_of_one_type_uses_what_its_queue_says(allocated, expected):
    assert told(allocated=allocated) == {H100: expected}


UNCOUNTED = {
    "a fraction": ("0.5", "'0.5' is no count"),
    "less than none": ("-1", "'-1' is no count"),
    "no number": ("four", "'four' is not a Kubernetes quantity"),
    "more than the cluster's 16 cards": ("1k", "'1k' of nvidia.com/gpu: more than the cards of its cluster"),
    "bytes": ("13Gi", "more than the cards of its cluster"),
}


@pytest.mark.parametrize(("text", "reason"), UNCOUNTED.values(), ids=UNCOUNTED.keys())
def test_a_number_that_cannot_be_is_unknown(text, reason):
    used, headroom, borrowed = told(allocated={GPU: text})[H100]

    assert used == headroom == borrowed
    assert (used.system, used.code) == (System.QUEUES, UnknownCode.UNDETERMINED)
    assert reason in used.reason


def test_a_node_whose_cards_are_not_known_may_have_the_most_that_a_node_can():
    unlabelled = [a_node(labels={})]

    assert told(allocated={GPU: "1k"}, nodes=unlabelled)[H100] == (1_000, 0, 996)
    assert isinstance(told(allocated={GPU: "13Gi"}, nodes=unlabelled)[H100][0], Unknown)


def test_bytes_are_no_cards_though_the_nodes_are_silent():
    keeper = a_keeper(queues=[a_queue(allocated={GPU: "13Gi"})], pods=[a_pod()])
    keeper.touch(NODES, NEVER)

    (given,) = allocations(a_workspace(), keeper.pin())

    assert given.used.code is UnknownCode.UNDETERMINED


def test_all_cards_of_a_cluster_may_be_used():
    assert told(allocated={GPU: "16"})[H100] == (16, 0, 12)


def test_several_types_are_split_by_the_nodes_of_the_pods():
    pods = [
        a_pod("a", "h-1", {GPU: 3}),
        a_pod("b", "a-1", {GPU: 4}),
        a_pod("c", "h-1", {GPU: 5}, phase="Succeeded"),
        a_pod("d", None, {GPU: 5}),
        a_pod("e", "h-1", {"nvidia.com/mig-1g.10gb": 1}),
    ]

    held = told(a_workspace(given=BOTH), {GPU: "7"}, pods=pods)

    assert held == {H100: (3, 1, 0), A100: (4, 0, 2)}


UNSPLIT = {
    "pods that do not add up": ([a_pod("a", "h-1", {GPU: 3})], "counts 7 GPUs and the pods' nodes 3"),
    "a node that nobody knows": ([a_pod("a", "x-1", {GPU: 7})], "node x-1 of pod a is not known"),
    "a node of unknown type": ([a_pod("a", "u-1", {GPU: 7})], "no label nvidia.com/gpu.product"),
    "a claim that cannot be read": (
        [
            a_pod(
                "a",
                "h-1",
                {GPU: Unknown(code=UnknownCode.UNDETERMINED, system=System.KUBERNETES, reason="unread")},
            )
        ],
        "unread",
    ),
    "slices": ([a_pod("a", "s-1", {GPU: 7})], "on s-1 nvidia.com/gpu counts SLICEs"),
}


@pytest.mark.parametrize(("pods", "reason"), UNSPLIT.values(), ids=UNSPLIT.keys())
def test_several_types_are_not_split_by_guess(pods, reason):
    nodes = (*NODES_OF_BOTH, a_node("u-1", labels={}), a_node("s-1", labels=single(7, "1g.10gb")))
    held = told(a_workspace(given=BOTH), {GPU: "7"}, nodes=nodes, pods=pods)

    assert held[H100] == held[A100]
    assert reason in held[H100][0].reason


@pytest.mark.parametrize(
    ("node", "unit"),
    [(a_node("x-1", labels=shared(8, 4)), "SHARE"), (a_node("x-1", labels=single(56, "1g.10gb")), "SLICE")],
)
def test_shares_and_slices_in_a_queue_are_not_told_as_cards(node, unit):
    (used, _, _) = told(allocated={GPU: "3"}, nodes=[node], pods=[a_pod("a", "x-1", {GPU: 3})])[H100]

    assert used.reason == f"on x-1 nvidia.com/gpu counts {unit}s"


def test_whole_cards_beside_cut_ones_are_cards():
    node = a_node("x-1", labels=mixed(8), capacity={GPU: 4, "nvidia.com/mig-1g.10gb": 28})

    assert told(allocated={GPU: "3"}, nodes=[node], pods=[a_pod("a", "x-1", {GPU: 3})])[H100] == (3, 1, 0)


def test_a_type_that_the_workspace_was_not_given_does_not_disturb_the_split():
    pods = [a_pod("a", "h-1", {GPU: 3}), a_pod("b", "t-1", {GPU: 1})]
    nodes = (*NODES_OF_BOTH, a_node("t-1", labels=whole(4, "T4-16GB")))

    held = told(a_workspace(given=BOTH), {GPU: "4"}, nodes=nodes, pods=pods)

    assert held == {H100: (3, 1, 0), A100: (0, 2, 0)}


def test_without_a_queue_nothing_is_said_of_use():
    assert told(a_workspace(queue=None)) == told(a_workspace(queue="gone")) == {H100: (None, None, None)}


def test_a_queue_that_does_not_say_is_unknown_and_not_0():
    fleet = a_fleet(queues=[a_queue(allocated=None)], nodes=NODES_OF_BOTH)
    (given,) = allocations(a_workspace(), fleet)

    assert given.used.reason == "queue training does not say what is allocated"
    assert given.cards == 4


def told_without(listing, contact, workspace):
    keeper = a_keeper(NODES_OF_BOTH, [a_pod("a", "h-1", {GPU: 3})], queues=[a_queue(allocated={GPU: "3"})])
    keeper.touch(listing, contact)
    return {one.gpu_type.name: one.used for one in allocations(workspace, keeper.pin())}


def test_silent_queues_leave_use_unknown():
    used = told_without(QUEUES, NEVER, a_workspace())[H100]

    assert (used.system, used.code) == (System.QUEUES, UnknownCode.SOURCE_UNAVAILABLE)


def test_a_cluster_without_volcano_has_no_use_and_no_error():
    assert told_without(QUEUES, ABSENT, a_workspace()) == {H100: None}


@pytest.mark.parametrize("listing", [PODS, NODES])
def test_silent_kubernetes_leaves_what_the_queue_says_of_one_type(listing):
    assert told_without(listing, NEVER, a_workspace()) == {H100: 3}


def test_silent_kubernetes_leaves_no_split_by_type():
    used = told_without(PODS, NEVER, a_workspace(given=BOTH))

    assert used[H100] == used[A100]
    assert used[H100].system is System.KUBERNETES


def test_an_allocation_costs_its_cards_whether_used_or_not():
    records = some_records(prices={H100: [a_price("2.50")]})
    (given,) = allocations(a_workspace(), a_fleet(records=records))

    assert str(given.price_per_hour.amount) == "2.50"
    assert str(given.cost_per_hour.amount) == "10.00"


def test_silent_records_leave_the_price_unknown():
    keeper = a_keeper()
    keeper.touch(SourceKey(System.PLATFORM, "", "records"), NEVER)
    (given,) = allocations(a_workspace(), keeper.pin())

    assert given.price_per_hour == given.cost_per_hour
    assert given.price_per_hour.system is System.PLATFORM


def test_pods_of_other_namespaces_and_clusters_are_not_the_workspaces():
    pods = [a_pod("a", "h-1", {GPU: 3}), a_pod("b", "h-1", {GPU: 2}, namespace="other")]

    assert told(a_workspace(given=BOTH, cluster=CLUSTER), {GPU: "3"}, pods=pods)[H100] == (3, 1, 0)
