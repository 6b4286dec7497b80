"""What machines have not, or others hold."""

from tests.journeys.scenes.objects import FULL, GPU, MIXED, PRODUCT, SLICE, T4, node, pod
from tests.journeys.scenes.scene import fails

CARVED = {**MIXED, "nvidia.com/mig.strategy": "single", PRODUCT: "NVIDIA-A100-SXM4-80GB-MIG-3g.40gb"}

HELD = {
    "no machine offers its cards": fails(
        [node(gives={GPU: "0"}), pod()],
        "INSUFFICIENT_RESOURCE",
        "DEVICE_PLUGIN",
        "GPUs of gpu-01 are not offered",
        "REPAIR_NODE",
    ),
    "others hold the cards": fails(
        [node(), FULL, pod()],
        "INSUFFICIENT_RESOURCE",
        "CAPACITY",
        "gpu-01 has most left, 0",
        "FREE_WORKLOADS",
    ),
    "more cards than any machine has": fails(
        [node(), pod(asks={GPU: "16"})],
        "INSUFFICIENT_RESOURCE",
        "CAPACITY",
        "no node has more than 8, whatever runs there",
    ),
    "no place for another pod": fails(
        [node(gives={GPU: "8", "pods": "1"}), pod("other", {}, on="gpu-01"), pod()],
        "TOO_MANY_PODS",
        "CAPACITY",
        "no more pods may be on gpu-01",
    ),
    "too little beside the cards": fails(
        [node(), pod(asks={GPU: "1", "memory": "2Ti"})],
        "INSUFFICIENT_RESOURCE",
        "CAPACITY",
        "no node has more than 1,024Gi",
    ),
    "a profile that could be cut": fails(
        [node(labels=MIXED), pod(asks={SLICE: "1"})],
        "INSUFFICIENT_RESOURCE",
        "MIG_LAYOUT",
        "under another layout gpu-01 could",
        "CHANGE_MIG_LAYOUT",
    ),
    "a profile that no card can be cut into": fails(
        [node(labels=T4), pod(asks={SLICE: "1"})],
        "INSUFFICIENT_RESOURCE",
        "MIG_LAYOUT",
        "none has cards that can be cut into 3g.40gb",
    ),
    "slices that go by the name of cards": fails(
        [node(gives={GPU: "16"}, labels={**CARVED, f"{GPU}.count": "16"}), pod(asks={SLICE: "1"})],
        "INSUFFICIENT_RESOURCE",
        "MIG_LAYOUT",
        f"gpu-01 offers such slices as {GPU}",
    ),
    "enough in sum and on no machine": fails(
        [
            node(),
            node("gpu-02"),
            pod("one", {GPU: "5"}, on="gpu-01"),
            pod("two", {GPU: "4"}, on="gpu-02"),
            pod(asks={GPU: "6"}),
        ],
        "INSUFFICIENT_RESOURCE",
        "FRAGMENTATION",
        "7 of nvidia.com/gpu are left on 2 nodes, and 6 on none: gpu-02 has 4",
        "FREE_WORKLOADS",
    ),
}
