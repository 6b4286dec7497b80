"""Quotas and limits, as administrators wrote them and Kubernetes counts them."""

from collections.abc import Iterator

from gateway.simulator.scenario.hardware import GPU, SHARED_GPU
from gateway.simulator.store import Json


def quota_objects() -> Iterator[Json]:
    """Those that hold nobody back: by a key that binds nothing, above all there is, by what nobody asks."""
    yield quota("vision-labeling", "gpus", {GPU: "8"})
    yield quota("robotics-notebooks", "unlimited", {f"requests.{GPU}": "10k"})
    yield {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "sizes", "namespace": "robotics-notebooks"},
        "spec": {"limits": [{"type": "Pod", "max": {SHARED_GPU: "1"}}]},
    }


def quota(namespace: str, name: str, hard: dict[str, str], used: dict[str, str] | None = None) -> Json:
    """A ResourceQuota; without more, one of which nothing is used."""
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"hard": hard},
        "status": {"hard": hard, "used": used or dict.fromkeys(hard, "0")},
    }
