"""Quotas that hold nobody back: one by a key that binds nothing, one above all that there is."""

from collections.abc import Iterator

from gateway.simulator.store import Json

_GPU = "nvidia.com/gpu"


def quota_objects() -> Iterator[Json]:
    """What administrators wrote; Kubernetes takes the first key, and counts only the second."""
    yield _quota("vision-labeling", "gpus", {_GPU: "8"})
    yield _quota("robotics-notebooks", "unlimited", {f"requests.{_GPU}": "10k"})


def _quota(namespace: str, name: str, hard: dict[str, str]) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"hard": hard},
        "status": {"hard": hard, "used": dict.fromkeys(hard, "0")},
    }
