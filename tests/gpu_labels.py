"""What gpu-feature-discovery writes into a node's labels, by how its cards are offered."""

GPU = "nvidia.com/gpu"
SHARED_GPU = "nvidia.com/gpu.shared"
H100 = "H100-80GB"
A100 = "A100-80GB"
T4 = "T4-16GB"
PRODUCTS = {
    H100: "NVIDIA-H100-80GB-HBM3",
    A100: "NVIDIA-A100-SXM4-80GB",
    "A100-40GB": "NVIDIA-A100-SXM4-40GB",
    "A30-24GB": "NVIDIA-A30",
    T4: "Tesla-T4",
}


def whole(cards: object = 8, kind: str = H100) -> dict[str, str]:
    """What gpu-feature-discovery writes where nothing is shared or cut."""
    return {
        "nvidia.com/gpu.product": PRODUCTS[kind],
        "nvidia.com/gpu.count": str(cards),
        "nvidia.com/gpu.replicas": "1",
        "nvidia.com/gpu.sharing-strategy": "none",
    }


def mixed(cards: object = 8, kind: str = A100) -> dict[str, str]:
    """What it writes under the mixed MIG strategy."""
    return whole(cards, kind) | {"nvidia.com/mig.strategy": "mixed", "nvidia.com/mig.capable": "true"}


def single(slices: object, profile: str, kind: str = A100) -> dict[str, str]:
    """What it writes under the single MIG strategy, where every card is cut alike."""
    product = f"{PRODUCTS[kind]}-MIG-{profile}"
    return mixed(slices, kind) | {"nvidia.com/mig.strategy": "single", "nvidia.com/gpu.product": product}


def shared(cards: object, replicas: object, kind: str = T4) -> dict[str, str]:
    """What it writes under time-slicing."""
    return whole(cards, kind) | {
        "nvidia.com/gpu.replicas": str(replicas),
        "nvidia.com/gpu.sharing-strategy": "time-slicing",
    }
