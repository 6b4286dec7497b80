"""What a pod asks of a node, as kube-scheduler counts it (1.36.3).

While a container is resized, all that it asks, has and was promised counts: `largest`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from gateway.fleet.mig import MIG_PREFIX
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown

Amounts: TypeAlias = Mapping[str, Decimal | Unknown]
"""By resource."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InitStep:
    """An init container."""

    asks: Amounts
    sidecar: bool
    """restartPolicy Always: it runs on beside all that come after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodRequests:
    """The requests that stand in a pod."""

    containers: tuple[Amounts, ...] = ()
    init: tuple[InitStep, ...] = ()
    """In the order in which they start."""
    pod_level: Amounts = field(default_factory=dict)
    overhead: Amounts = field(default_factory=dict)


def requested(requests: PodRequests, resource: str) -> Decimal | Unknown:
    """How much of a resource a node must have left for the pod."""
    within = requests.pod_level.get(resource)
    if within is None:
        within = _peak(requests, resource)
    return _sum((within, requests.overhead.get(resource, Decimal(0))))


def resources(requests: PodRequests) -> frozenset[str]:
    """Every resource that the pod names."""
    steps = (step.asks for step in requests.init)
    return frozenset().union(*requests.containers, *steps, requests.pod_level, requests.overhead)


def largest(asked: Iterable[Amounts]) -> Amounts:
    """The most of each resource that is named anywhere."""
    every = tuple(asked)
    names = frozenset[str]().union(*every)
    return {name: _largest(amounts[name] for amounts in every if name in amounts) for name in names}


def unit_of(resource: str) -> GpuUnit | None:
    """What a count of a GPU resource counts by its name alone; None where only its node can tell."""
    if resource.endswith(".shared") or resource == "volcano.sh/vgpu-number":
        return GpuUnit.SHARE
    if resource.startswith(MIG_PREFIX):
        return GpuUnit.SLICE
    if resource in {"volcano.sh/vgpu-cores", "nvidia.com/gpucores"}:
        return GpuUnit.CORE
    if resource in {"volcano.sh/vgpu-memory", "nvidia.com/gpumem"}:
        return GpuUnit.MEMORY
    return None


def _peak(requests: PodRequests, resource: str) -> Decimal | Unknown:
    """The most that is asked at one time: while an init step runs, or afterwards."""
    sidecars: list[Decimal | Unknown] = []
    moments: list[Decimal | Unknown] = []
    for step in requests.init:
        own = step.asks.get(resource, Decimal(0))
        moments.append(_sum((*sidecars, own)))
        if step.sidecar:
            sidecars.append(own)
    running = (container.get(resource, Decimal(0)) for container in requests.containers)
    return _largest([*moments, _sum((*sidecars, *running))])


def _sum(amounts: Iterable[Decimal | Unknown]) -> Decimal | Unknown:
    total = Decimal(0)
    for amount in amounts:
        if isinstance(amount, Unknown):
            return amount
        total += amount
    return total


def _largest(amounts: Iterable[Decimal | Unknown]) -> Decimal | Unknown:
    largest = Decimal(0)
    for amount in amounts:
        if isinstance(amount, Unknown):
            return amount
        largest = max(largest, amount)
    return largest
