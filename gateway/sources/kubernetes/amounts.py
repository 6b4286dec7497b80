"""Amounts as they stand in JSON: `"8"`, `8`, `"13Gi"`."""

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from gateway.errors import System
from gateway.fleet.gpu import is_gpu_resource
from gateway.fleet.quantity import Quantity, device_count, quantity
from gateway.fleet.requests import unit_of
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown
from gateway.sources.sync import Problem

RawAmounts = Mapping[str, msgspec.Raw]

MEASURED = {GpuUnit.CORE, GpuUnit.MEMORY}
"""Units of which a node may have more than devices."""


def read_amount(
    resource: str, raw: msgspec.Raw, path: str, problems: list[Problem], system: System = System.KUBERNETES
) -> Quantity:
    """Read one amount; what cannot be read keeps its text, is unknown, and is told."""
    text = _text(raw)
    amount = quantity(resource, text.strip(), system)  # Kubernetes trims what it reads from JSON
    if isinstance(amount.value, Unknown):
        problems.append(Problem(path=f"{path}[{resource}]", raw=text, text=amount.value.reason))
    return amount if amount.text == text else replace(amount, text=text)


def read_devices(resource: str, raw: msgspec.Raw, path: str, problems: list[Problem]) -> Quantity:
    """Read an amount of a GPU resource; one that is no count of devices keeps its value, and is told."""
    amount = read_amount(resource, raw, path, problems)
    if not isinstance(amount.value, Unknown) and unit_of(resource) not in MEASURED:
        count = device_count(amount, System.KUBERNETES)
        if isinstance(count, Unknown):
            problems.append(Problem(path=f"{path}[{resource}]", raw=amount.text, text=count.reason))
    return amount


def gpu_resources(amounts: RawAmounts | None) -> RawAmounts:
    """Those of the GPU resources."""
    return {name: raw for name, raw in amounts.items() if is_gpu_resource(name)} if amounts else {}


def _text(raw: msgspec.Raw) -> str:
    written = bytes(raw)
    if written.startswith(b'"'):
        return msgspec.json.decode(written, type=str)
    return written.decode()
