"""ResourceQuotas: ceilings of a namespace, as far as they are about GPUs."""

from dataclasses import dataclass

from gateway.fleet.gpu import is_gpu_resource
from gateway.fleet.quantity import Quantity

QUOTAS = "resourcequotas"
REQUESTS, LIMITS = "requests.", "limits."


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceQuota:
    """What one ResourceQuota says of GPUs, sorted by key."""

    cluster: str
    namespace: str
    name: str
    hard: tuple[Quantity, ...]
    """What is written; a key need not bind anything."""
    used: tuple[Quantity, ...]
    """As Kubernetes counted last; a key that is not here is not counted."""
    scoped: bool = False
    """It counts some pods alone, by their priority or how long they may run."""


def resource_of(key: str) -> str:
    """The resource that a key of a quota is about."""
    return key.removeprefix(REQUESTS).removeprefix(LIMITS)


def is_gpu_key(key: str) -> bool:
    """Whether a key of a quota is about GPUs."""
    return is_gpu_resource(resource_of(key))


def binds(key: str) -> bool:
    """Whether Kubernetes holds pods to a key of an extended resource (1.36): it does by requests alone."""
    return key.startswith(REQUESTS)
