from dataclasses import replace

import pytest

from gateway.errors import System
from gateway.fleet.cards import kubernetes_cards, slurm_cards
from gateway.fleet.gpu import CardsBasis
from gateway.fleet.unknown import UnknownCode
from tests.builders import a_node, a_slurm_node
from tests.gpu_labels import GPU, SHARED_GPU, mixed, shared, single, whole

LABEL, CAPACITY = CardsBasis.GPU_COUNT_LABEL, CardsBasis.CAPACITY
GKE = {"cloud.google.com/gke-accelerator": "nvidia-tesla-t4"}
HAMI = "GPU-1,10,15360,100,NVIDIA-Tesla T4,0,true:"


def uncounted(labels):
    return {key: text for key, text in labels.items() if key != "nvidia.com/gpu.count"}


COUNTED = {
    "no count, and labels that say one replica": (
        a_node(labels=uncounted(whole()), capacity={GPU: 8}),
        8,
        CAPACITY,
    ),
    "a cloud's node pool that neither shares nor cuts": (a_node(labels=GKE, capacity={GPU: 4}), 4, CAPACITY),
    "whole cards": (a_node(), 8, LABEL),
    "capacity below the label is lost, not gone": (a_node(capacity={GPU: 7}), 8, LABEL),
    "nothing offered any more": (a_node(capacity={GPU: 0}), 8, LABEL),
    "no key at all": (a_node(capacity={}), 8, LABEL),
    "an unreadable capacity": (a_node(capacity={GPU: "banana"}), 8, LABEL),
    "an implausible capacity": (a_node(capacity={GPU: 18446744073709552000}), 8, LABEL),
    "a fraction as capacity": (a_node(capacity={GPU: "0.5"}), 8, LABEL),
    "a capacity with a suffix": (a_node(labels=whole(1_000), capacity={GPU: "1k"}), 1_000, LABEL),
    "mixed MIG: cards under MIG are among them": (
        a_node(labels=mixed(8), capacity={GPU: 0, "nvidia.com/mig-1g.10gb": 56}),
        8,
        LABEL,
    ),
    "one card that is cut": (
        a_node(
            labels=mixed(1),
            capacity={
                GPU: 0,
                "nvidia.com/mig-1g.12gb": 2,
                "nvidia.com/mig-2g.24gb": 1,
                "nvidia.com/mig-3g.47gb": 1,
            },
        ),
        1,
        LABEL,
    ),
    "stale zero keys": (
        a_node(labels=whole(1), capacity={GPU: 1, "nvidia.com/mig-1g.5gb": 0, "nvidia.com/mig-3g.20gb": 0}),
        1,
        LABEL,
    ),
    "a stale key that came back": (
        a_node(labels=mixed(1, "A100-40GB"), capacity={GPU: 1, "nvidia.com/mig-7g.40gb": 1}),
        1,
        LABEL,
    ),
    "single strategy with MIG off": (
        a_node(labels=whole(4) | {"nvidia.com/mig.strategy": "single"}, capacity={GPU: 4}),
        4,
        LABEL,
    ),
    "an unreadable strategy": (a_node(labels=whole(8) | {"nvidia.com/mig.strategy": "both"}), 8, LABEL),
    "time-slicing": (a_node(labels=shared(1, 12), capacity={GPU: 12}), 1, LABEL),
    "time-slicing, renamed": (a_node(labels=shared(8, 10), capacity={GPU: 0, SHARED_GPU: 80}), 8, LABEL),
    "a named sharing configuration": (
        a_node(labels=whole(1) | {"nvidia.com/device-plugin.config": "shared"}, capacity={GPU: 4}),
        1,
        LABEL,
    ),
    "replicas of 0 where all cards are under MIG and the strategy is none": (
        a_node(labels=whole(8) | {"nvidia.com/gpu.replicas": "0"}),
        8,
        LABEL,
    ),
    "HAMi's shares are no cards": (a_node(labels=whole(1), capacity={GPU: 10}, hami=HAMI), 1, LABEL),
    "Volcano's shares are no cards": (
        a_node(labels=whole(8), capacity={"volcano.sh/vgpu-number": 80}),
        8,
        LABEL,
    ),
    "stale zeros of another vendor": (a_node(capacity={GPU: 8, "amd.com/gpu": 0}), 8, LABEL),
    "labels of one of two models": (a_node(labels=whole(1), capacity={GPU: 4}), 4, CAPACITY),
    "labels of one of two models, one of them mixed": (
        a_node(labels=mixed(1), capacity={GPU: 4}),
        4,
        CAPACITY,
    ),
}


@pytest.mark.parametrize(("node", "cards", "basis"), COUNTED.values(), ids=COUNTED.keys())
def test_counts_cards(node, cards, basis):
    found = kubernetes_cards(node)

    assert (found.count, found.basis) == (cards, basis)


UNDECIDED = {
    "no labels": (a_node(labels={}), "no label nvidia.com/gpu.count, and nothing tells"),
    "no count beside a product that is cut by profile": (
        a_node(labels=uncounted(mixed()), capacity={GPU: 8}),
        "nothing tells that nvidia.com/gpu counts cards",
    ),
    "no count, and shared": (a_node(labels=uncounted(shared(8, 4)), capacity={GPU: 32}), "nothing tells"),
    "a cloud's node pool that shares": (
        a_node(labels=GKE | {"cloud.google.com/gke-max-shared-clients-per-gpu": "4"}, capacity={GPU: 4}),
        "nothing tells that nvidia.com/gpu counts cards",
    ),
    "a cloud's node pool that cuts": (
        a_node(labels=GKE | {"cloud.google.com/gke-gpu-partition-size": "1g.5gb"}, capacity={GPU: 7}),
        "nothing tells that nvidia.com/gpu counts cards",
    ),
    "a cloud's node whose devices are not there yet": (
        a_node(labels=GKE, capacity={GPU: 0}),
        "nothing tells",
    ),
    "an unreadable capacity that would have counted": (
        a_node(labels=GKE, capacity={GPU: "banana"}),
        "'banana'",
    ),
    "an unreadable label": (a_node(labels=whole("8 cards")), "says '8 cards'"),
    "an implausible label": (a_node(labels=whole(4096)), "no whole number from 0 to 1024"),
    "slices under the single strategy": (a_node(labels=single(56, "1g.10gb")), "counts slices (1g.10gb)"),
    "slices under a strategy that cannot be read": (
        a_node(labels=single(56, "1g.10gb") | {"nvidia.com/mig.strategy": "?"}),
        "counts slices (1g.10gb)",
    ),
    "an invalid layout": (a_node(labels=single(0, "INVALID"), capacity={GPU: 0}), "layout is invalid"),
    "virtual GPUs without labels": (
        a_node(labels={}, capacity={"volcano.sh/vgpu-number": 10}),
        "neither cores nor an annotation tell the cards",
    ),
    "AMD": (a_node(labels={}, capacity={"amd.com/gpu": 64}), "amd.com/gpu counts cards or parts of them"),
    "AMD beside NVIDIA": (a_node(labels=whole(1), capacity={GPU: 1, "amd.com/gpu": 4}), "amd.com/gpu counts"),
    "Intel": (a_node(labels={}, capacity={"gpu.intel.com/i915": 10}), "gpu.intel.com/i915 counts"),
    "labels of one of two models beside slices of the other": (
        a_node(labels=mixed(2), capacity={GPU: 4, "nvidia.com/mig-1g.10gb": 14}),
        "neither counts the cards under MIG",
    ),
    "labels of a card under MIG beside more whole ones": (
        a_node(labels=mixed(1) | {"nvidia.com/gpu.replicas": "0"}, capacity={GPU: 4}),
        "neither counts the cards under MIG",
    ),
}


@pytest.mark.parametrize(("node", "reason"), UNDECIDED.values(), ids=UNDECIDED.keys())
def test_does_not_guess_where_nothing_tells_the_cards(node, reason):
    found = kubernetes_cards(node)

    assert found.basis == found.count
    assert (found.count.code, found.count.system) == (UnknownCode.UNDETERMINED, System.KUBERNETES)
    assert reason in found.count.reason


CONTRADICTIONS = {
    "several models": (
        a_node(labels=whole(1), capacity={GPU: 4}),
        "nvidia.com/gpu is 4, and the labels count 1 of NVIDIA-H100-80GB-HBM3",
    ),
    "more shares than the cards give": (
        a_node(labels=shared(8, 4), capacity={GPU: 40}),
        "8 cards of 4 shares cannot give the 40 that are offered",
    ),
    "as many shares as the cards give": (a_node(labels=shared(8, 4), capacity={GPU: 32}), None),
    "fewer, for some are lost": (a_node(labels=shared(8, 4), capacity={GPU: 28}), None),
    "another number registered as virtual GPUs": (
        a_node(labels=whole(2), capacity={GPU: 10}, hami=HAMI),
        "the labels count 2 cards, and 1 are registered as virtual GPUs",
    ),
    "unreadable shares": (a_node(labels=shared(8, 4), capacity={GPU: "many"}), None),
    "nothing": (a_node(), None),
}


@pytest.mark.parametrize(("node", "said"), CONTRADICTIONS.values(), ids=CONTRADICTIONS.keys())
def test_tells_where_labels_and_capacity_do_not_agree(node, said):
    assert kubernetes_cards(node).contradiction == said


GRES = {
    "gpu:h100:8": 8,
    "gpu:4(S:0-1)": 4,
    "gpu:h100:4(S:0),gpu:a100:2(S:1)": 6,
    "gpu:h100:4,shard:16": 4,
    "gpu:0": 0,
}


@pytest.mark.parametrize(("gres", "cards"), GRES.items())
def test_counts_the_gres_of_a_node_that_only_slurm_knows(gres, cards):
    found = slurm_cards(a_slurm_node(gres=gres))

    assert (found.count, found.basis) == (cards, CardsBasis.SLURM_GRES)


@pytest.mark.parametrize(
    ("gres", "reason"),
    [
        ("gpu:nvidia_h200_nvl_4g.71gb:1", "lists slices"),
        ("gpu:nvidia_h100_80gb_hbm3:2,gpu:nvidia_h100_80gb_hbm3_4g.40gb:2", "lists slices"),
        ("shard:16", "lists shares"),
    ],
)
def test_gres_of_slices_or_shares_alone_does_not_tell_the_cards(gres, reason):
    found = slurm_cards(a_slurm_node(gres=gres))

    assert (found.count.code, found.count.system) == (UnknownCode.UNDETERMINED, System.SLURM)
    assert reason in found.count.reason


def test_a_slurm_node_in_a_pod_has_no_cards_of_its_own():
    cards = slurm_cards(replace(a_slurm_node("worker-0"), host="gpu-01"))

    assert cards.count.reason == "it runs in a pod on gpu-01, and its GPUs are of that machine"
