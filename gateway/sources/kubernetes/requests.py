"""Reads what a pod asks of resources; pods that ask alike share what was read, for there may be 100,000."""

from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

import msgspec
from immutables import Map

from gateway.errors import System
from gateway.fleet.gpu import GpuClaim, is_gpu_resource
from gateway.fleet.quantity import Quantity, device_count, write_decimal
from gateway.fleet.requests import Amounts, InitStep, PodRequests, largest, requested, resources, unit_of
from gateway.fleet.unknown import Unknown
from gateway.sources.kubernetes.amounts import MEASURED, RawAmounts, read_amount
from gateway.sources.sync import Problem


class RawContainer(NamedTuple):
    """The JSON of what a container asks."""

    resources: bytes
    sidecar: bool = False
    held: tuple[bytes, bytes] | None = None
    """The resources that its status says it has, and what is allocated to it (1.33 and later)."""


class RawRequests(NamedTuple):
    """The JSON of everything in a pod that says what it asks."""

    containers: tuple[RawContainer, ...]
    init: tuple[RawContainer, ...]
    pod_level: bytes
    overhead: bytes


class Asked(NamedTuple):
    """What a pod asks."""

    requests: Map[str, Decimal | Unknown]
    """By resource; zeros are left out."""
    gpus: tuple[GpuClaim, ...]
    problems: tuple[Problem, ...]


class _Resources(msgspec.Struct):
    requests: dict[str, msgspec.Raw] | None = None
    limits: dict[str, msgspec.Raw] | None = None


_RESOURCES = msgspec.json.Decoder(_Resources | None)
_AMOUNTS = msgspec.json.Decoder(dict[str, msgspec.Raw] | None)


@lru_cache(maxsize=4096)
def read_requests(raw: RawRequests) -> Asked:
    """Read what a pod asks of each resource, and what of that are GPUs."""
    problems: list[Problem] = []
    requests = _requests(raw, problems)
    amounts = {resource: requested(requests, resource) for resource in sorted(resources(requests))}
    asked = {resource: amount for resource, amount in amounts.items() if amount != 0}
    gpus = tuple(
        GpuClaim(resource=resource, unit=unit_of(resource), count=_count(resource, amount, problems))
        for resource, amount in asked.items()
        if is_gpu_resource(resource)
    )
    return Asked(requests=Map(asked), gpus=gpus, problems=tuple(problems))


def _requests(raw: RawRequests, problems: list[Problem]) -> PodRequests:
    return PodRequests(
        containers=tuple(
            _container(asked, f"spec.containers[{at}]", problems) for at, asked in enumerate(raw.containers)
        ),
        init=tuple(
            InitStep(asks=_container(it, f"spec.initContainers[{at}]", problems), sidecar=it.sidecar)
            for at, it in enumerate(raw.init)
        ),
        pod_level=_amounts(raw.pod_level, "spec", problems),
        overhead=dict(_read(_AMOUNTS.decode(raw.overhead) or {}, "spec.overhead", problems)),
    )


def _container(raw: RawContainer, path: str, problems: list[Problem]) -> Amounts:
    """What a container asks; while it is resized, the most of what it asks, has and was promised."""
    asked = _amounts(raw.resources, path, problems)
    if raw.held is None:
        return asked
    has, allocated = raw.held
    actual = (_RESOURCES.decode(has) or _Resources()).requests or {}
    promised = _AMOUNTS.decode(allocated) or {}
    held = (dict(_read(amounts, f"{path} (status)", problems)) for amounts in (actual, promised))
    return largest((asked, *held))


def _amounts(raw: bytes, path: str, problems: list[Problem]) -> Amounts:
    """What a container asks: where only the limit of a resource is given, that is its request too."""
    asked = _RESOURCES.decode(raw) or _Resources()
    requests, limits = asked.requests or {}, asked.limits or {}
    unasked = {name: amount for name, amount in limits.items() if name not in requests}
    return dict(
        (
            *_read(requests, f"{path}.resources.requests", problems),
            *_read(unasked, f"{path}.resources.limits", problems),
        )
    )


def _read(amounts: RawAmounts, path: str, problems: list[Problem]) -> Iterator[tuple[str, Decimal | Unknown]]:
    for name, raw in amounts.items():
        value = read_amount(name, raw, path, problems).value
        if value is not None:
            yield name, value


def _count(resource: str, amount: Decimal | Unknown, problems: list[Problem]) -> int | Unknown:
    """What is asked of a GPU resource as a whole number."""
    if isinstance(amount, Unknown):
        return amount
    if unit_of(resource) in MEASURED and amount == amount.to_integral_value() and amount > 0:
        return int(amount)
    text = write_decimal(amount)
    count = device_count(Quantity(resource=resource, text=text, value=amount), System.KUBERNETES)
    if isinstance(count, Unknown):
        problems.append(Problem(path=f"spec[{resource}]", raw=text, text=count.reason))
    return count
