import pytest

from gateway.errors import System
from gateway.fleet.requested import extended_resource, requested_of
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import undetermined
from tests.builders import a_node, a_pod
from tests.fleets import silence
from tests.gpu_labels import GPU, SHARED_GPU, shared

UNREAD = undetermined(System.KUBERNETES, "nvidia.com/gpu: '1.5' is no count of devices")

ASKED = {
    "a pod that runs": ([a_pod(asks={GPU: 2})], 2),
    "one that is bound and cannot start": ([a_pod(asks={GPU: 16}, phase="Pending")], 16),
    "one that ends slowly": ([a_pod(terminating=True)], 1),
    "one that succeeded": ([a_pod(phase="Succeeded")], 0),
    "one that failed": ([a_pod(phase="Failed")], 0),
    "one that is not bound": ([a_pod(node=None)], 0),
    "one that asks for slices": ([a_pod(asks={"nvidia.com/mig-3g.20gb": 1})], 0),
    "several": ([a_pod("a"), a_pod("b", asks={GPU: 4}), a_pod("c", asks={})], 5),
    "nobody": ([], 0),
}


@pytest.mark.parametrize(("pods", "count"), ASKED.values(), ids=ASKED.keys())
def test_sums_what_bound_pods_ask_until_they_ended(pods, count):
    assert requested_of(pods, GPU) == count


def test_one_claim_that_cannot_be_read_leaves_the_sum_unknown():
    assert requested_of([a_pod("a"), a_pod("b", asks={GPU: UNREAD})], GPU) == UNREAD
    assert "b: no count of nvidia.com/gpu" in requested_of([a_pod("b", asks={GPU: None})], GPU).reason


def resource(node, pods=()):
    return extended_resource(node, node.resources[0], pods)


OFFERED = {
    "all is free": (8, 8, 0, 8, 0),
    "free is what is allocatable and not asked": (8, 7, 4, 3, 0),
    "more is asked than is allocatable": (4, 3, 4, 0, 1),
    "the device plugin is gone": (8, 0, 2, 0, 2),
}


@pytest.mark.parametrize(
    ("capacity", "allocatable", "asked", "free", "deficit"), OFFERED.values(), ids=OFFERED
)
def test_tells_what_is_free_and_what_is_missing(capacity, allocatable, asked, free, deficit):
    node = a_node(capacity={GPU: capacity}, allocatable={GPU: allocatable})
    found = resource(node, (a_pod(asks={GPU: asked}),))

    assert (found.capacity, found.allocatable, found.requested) == (capacity, allocatable, asked)
    assert (found.free, found.deficit) == (free, deficit)


def test_counts_shares_where_the_card_is_shared():
    node = a_node(labels=shared(1, 12), capacity={GPU: 12})
    found = resource(node, tuple(a_pod(f"p{at}") for at in range(4)))

    assert (found.unit, found.requested, found.free) == (GpuUnit.SHARE, 4, 8)


def test_what_cannot_be_read_leaves_only_what_needs_it_unknown():
    found = resource(a_node(capacity={GPU: 8}, allocatable={GPU: "8 cards"}), (a_pod(),))

    assert (found.capacity, found.requested) == (8, 1)
    assert "'8 cards'" in found.allocatable.reason
    assert found.free == found.deficit == found.allocatable


def test_silent_pods_leave_the_offer_standing():
    silent = silence(System.KUBERNETES)
    found = resource(a_node(), silent)

    assert (found.capacity, found.allocatable) == (8, 8)
    assert found.requested == found.free == found.deficit == silent


def test_a_key_that_only_one_of_both_sides_has_is_none_on_the_other():
    found = resource(a_node(capacity={SHARED_GPU: 8}, allocatable={}), ())

    assert (found.allocatable, found.free) == (None, None)


@pytest.mark.parametrize("text", ["81920", "1024000"])
def test_memory_and_cores_may_be_more_than_any_node_has_devices(text):
    found = resource(a_node(capacity={"volcano.sh/vgpu-memory": text}))

    assert (found.unit, found.capacity) == (GpuUnit.MEMORY, int(text))
    assert "'-1'" in resource(a_node(capacity={"volcano.sh/vgpu-memory": -1})).capacity.reason
