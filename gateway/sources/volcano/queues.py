"""Reads queues."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial

import msgspec

from gateway.errors import System
from gateway.fleet.quantity import Quantity
from gateway.fleet.queue import Queue
from gateway.sources.kubernetes.amounts import read_amount
from gateway.sources.kubernetes.decoding import decode_object
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.sync import Problem

GROUP = "/apis/scheduling.volcano.sh/v1beta1"

_VITAL = ("spec.capability", "spec.deserved", "spec.guarantee", "status.allocated")
_OPEN_WHERE_ZERO = {"cpu", "memory"}
_Amounts = Mapping[str, msgspec.Raw] | None


class _Metadata(msgspec.Struct):
    name: str


class _Guarantee(msgspec.Struct):
    resource: dict[str, msgspec.Raw] | None = None


class _Spec(msgspec.Struct):
    parent: str | None = None
    capability: dict[str, msgspec.Raw] | None = None
    deserved: dict[str, msgspec.Raw] | None = None
    guarantee: _Guarantee | None = None
    reclaimable: bool | None = None


class _Status(msgspec.Struct):
    state: str | None = None
    allocated: dict[str, msgspec.Raw] | None = None


class _Queue(msgspec.Struct):
    metadata: _Metadata
    spec: _Spec | None = None
    status: _Status | None = None


_QUEUE = msgspec.json.Decoder(_Queue)


def queues(cluster: str) -> Kind[Queue]:
    """The queues of a cluster, where it has Volcano."""
    return Kind(path=f"{GROUP}/queues", read=partial(read_queue, cluster), optional=True)


def read_queue(cluster: str, raw: msgspec.Raw, problems: list[Problem]) -> Queue:
    """Read one queue."""
    queue = decode_object(_QUEUE, raw, problems, vital=_VITAL)
    spec, status = queue.spec or _Spec(), queue.status or _Status()
    guarantee = spec.guarantee.resource if spec.guarantee else None
    return Queue(
        cluster=cluster,
        name=queue.metadata.name,
        state=status.state or None,
        parent_name=spec.parent or None,
        capability=_capability(read_amounts(spec.capability, "spec.capability", problems)),
        deserved=read_amounts(spec.deserved, "spec.deserved", problems),
        guarantee=read_amounts(guarantee, "spec.guarantee.resource", problems),
        allocated=read_amounts(status.allocated, "status.allocated", problems),
        reclaimable=spec.reclaimable,
    )


def read_amounts(amounts: _Amounts, path: str, problems: list[Problem]) -> tuple[Quantity, ...] | None:
    """Read amounts by resource, sorted by it; None where the object does not say."""
    if amounts is None:
        return None
    return tuple(read_amount(name, amounts[name], path, problems, System.QUEUES) for name in sorted(amounts))


def _capability(amounts: tuple[Quantity, ...] | None) -> tuple[Quantity, ...] | None:
    """Mark what is no ceiling: cpu and memory of 0 or less are read by Volcano as unlimited (1.9 to 1.16)."""
    if amounts is None:
        return None
    return tuple(replace(amount, unlimited=True) if _is_open(amount) else amount for amount in amounts)


def _is_open(amount: Quantity) -> bool:
    return amount.resource in _OPEN_WHERE_ZERO and isinstance(amount.value, Decimal) and amount.value <= 0
