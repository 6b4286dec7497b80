"""The quota that somebody wrote, by a key that binds nothing."""

from collections.abc import Iterator

from gateway.simulator.store import Json


def quota_objects() -> Iterator[Json]:
    """Eight GPUs at most, it says; Kubernetes takes the key, and counts requests.nvidia.com/gpu alone."""
    hard = {"nvidia.com/gpu": "8"}
    yield {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "gpus", "namespace": "vision-labeling"},
        "spec": {"hard": hard},
        "status": {"hard": hard, "used": {"nvidia.com/gpu": "0"}},
    }
