import pytest

from gateway.fleet.sharing import gpu_unit, is_shared, is_split, shares_of_card, single_mig_profile
from gateway.fleet.unit import GpuUnit
from tests.builders import a_node
from tests.gpu_labels import GPU, SHARED_GPU, mixed, shared, single, whole

CONFIGURED = {"nvidia.com/device-plugin.config": "time-slice-4"}
UNLABELLED = a_node(labels={})
WITH_HAMI = a_node(labels=whole(1), capacity={GPU: 10}, hami="GPU-1,10,15360,100,NVIDIA-Tesla T4,0,true:")

UNITS = {
    "cards where nothing is shared or cut": (a_node(), GPU, GpuUnit.CARD),
    "shares where replicas are labelled": (a_node(labels=shared(8, 4)), GPU, GpuUnit.SHARE),
    "shares under the renamed resource": (a_node(labels=shared(8, 4)), SHARED_GPU, GpuUnit.SHARE),
    "slices under the single strategy": (a_node(labels=single(56, "1g.10gb")), GPU, GpuUnit.SLICE),
    "slices by profile": (a_node(labels=mixed()), "nvidia.com/mig-1g.10gb", GpuUnit.SLICE),
    "shares of slices, renamed": (a_node(), "nvidia.com/mig-1g.10gb.shared", GpuUnit.SHARE),
    "shares of slices, by replicas": (
        a_node(labels=mixed() | {"nvidia.com/mig-1g.10gb.replicas": "2"}),
        "nvidia.com/mig-1g.10gb",
        GpuUnit.SHARE,
    ),
    "cards beside shared slices": (
        a_node(labels=mixed(), capacity={GPU: 4, "nvidia.com/mig-1g.10gb.shared": 28}),
        GPU,
        GpuUnit.CARD,
    ),
    "shares that HAMi makes": (WITH_HAMI, GPU, GpuUnit.SHARE),
    "shares that Volcano makes": (a_node(), "volcano.sh/vgpu-number", GpuUnit.SHARE),
    "memory of virtual GPUs": (a_node(), "volcano.sh/vgpu-memory", GpuUnit.MEMORY),
    "cores of virtual GPUs": (a_node(), "nvidia.com/gpucores", GpuUnit.CORE),
    "nothing that can be told without labels": (UNLABELLED, GPU, None),
    "nothing that can be told of AMD's partitions": (a_node(), "amd.com/gpu", None),
}


@pytest.mark.parametrize(("node", "resource", "unit"), UNITS.values(), ids=UNITS.keys())
def test_tells_what_a_count_counts(node, resource, unit):
    assert gpu_unit(node, resource) is unit


SHARED = {
    "a renamed resource": (a_node(capacity={GPU: 0, SHARED_GPU: 32}), True),
    "a renamed resource that stands at zero is history": (a_node(capacity={GPU: 8, SHARED_GPU: 0}), False),
    "more than one replica": (a_node(labels=shared(8, 4)), True),
    "one replica": (a_node(labels=shared(8, 1)), False),
    "replicas of 0, as for a card under MIG": (a_node(labels=shared(8, 0)), False),
    "the product's suffix": (a_node(labels={"nvidia.com/gpu.product": "Tesla-T4-SHARED"}), True),
    "a named configuration that multiplies": (
        a_node(labels=whole(8) | CONFIGURED, capacity={GPU: 32}),
        True,
    ),
    "a named configuration of something else": (
        a_node(labels=whole(8) | CONFIGURED, capacity={GPU: 8}),
        False,
    ),
    "unreadable replicas decide nothing": (
        a_node(labels=whole(8) | {"nvidia.com/gpu.replicas": "4x"}),
        False,
    ),
}


@pytest.mark.parametrize(("node", "expected"), SHARED.values(), ids=SHARED.keys())
def test_knows_sharing_by_its_signs(node, expected):
    assert is_shared(node) is expected


def test_knows_virtual_gpus_by_their_annotation_or_resources():
    assert is_split(WITH_HAMI)
    assert is_split(a_node(capacity={"volcano.sh/vgpu-number": 80}))
    assert not is_split(a_node(capacity={GPU: 8, "volcano.sh/vgpu-number": 0}))


def test_a_card_adds_its_replicas_to_the_count():
    assert shares_of_card(a_node()) == 1
    assert shares_of_card(a_node(labels=shared(8, 4))) == 4


RENAMED = {GPU: 0, SHARED_GPU: 32}
UNTOLD = {
    "no label": (a_node(labels={}, capacity=RENAMED), "no label tells how many shares a card gives"),
    "replicas of 0": (a_node(labels=shared(8, 0), capacity=RENAMED), "no label tells how many shares a card"),
    "unreadable replicas": (
        a_node(labels=whole() | {"nvidia.com/gpu.replicas": "four"}, capacity=RENAMED),
        "says 'four'",
    ),
    "virtual GPUs": (WITH_HAMI, "into how many virtual GPUs"),
}


@pytest.mark.parametrize(("node", "reason"), UNTOLD.values(), ids=UNTOLD.keys())
def test_does_not_guess_how_many_shares_a_card_gives(node, reason):
    assert reason in shares_of_card(node).reason


PROFILES = {
    "NVIDIA-A100-SXM4-80GB": None,
    "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb": "1g.10gb",
    "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb.me": "1g.10gb.me",
    "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb-SHARED": "1g.10gb",
    "NVIDIA-A30-MIG-INVALID": "INVALID",
}


@pytest.mark.parametrize(("product", "profile"), PROFILES.items())
def test_reads_the_profile_of_the_single_strategy_off_the_product(product, profile):
    assert single_mig_profile(a_node(labels={"nvidia.com/gpu.product": product}).gpu_labels) == profile
