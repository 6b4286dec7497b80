"""Quotas, as administrators wrote them and Kubernetes counts them."""

from collections.abc import Iterator

from gateway.simulator.store import Json

_GPU = "nvidia.com/gpu"


def quota_objects() -> Iterator[Json]:
    """Those that hold nobody back: by a key that binds nothing, and above all that there is."""
    yield quota("vision-labeling", "gpus", {_GPU: "8"})
    yield quota("robotics-notebooks", "unlimited", {f"requests.{_GPU}": "10k"})


def quota(namespace: str, name: str, hard: dict[str, str], used: dict[str, str] | None = None) -> Json:
    """A ResourceQuota; without more, one of which nothing is used."""
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"hard": hard},
        "status": {"hard": hard, "used": used or dict.fromkeys(hard, "0")},
    }
