"""Reads LimitRanges: what pods and containers of a namespace may ask of GPUs."""

from functools import partial

import msgspec

from gateway.fleet.gpu import is_gpu_resource
from gateway.fleet.limit_range import LIMIT_RANGES, Limit, LimitRange
from gateway.fleet.quantity import Quantity
from gateway.sources.kubernetes.amounts import read_amount
from gateway.sources.kubernetes.decoding import decode_object
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.sync import Problem

_Amounts = dict[str, msgspec.Raw] | None


class _Metadata(msgspec.Struct):
    name: str
    namespace: str


class _Item(msgspec.Struct):
    type: str
    min: _Amounts = None
    max: _Amounts = None
    default: _Amounts = None


class _Spec(msgspec.Struct):
    limits: list[_Item] | None = None


class _LimitRange(msgspec.Struct):
    metadata: _Metadata
    spec: _Spec | None = None


_LIMIT_RANGE = msgspec.json.Decoder(_LimitRange)
_OF_CONTAINER = {"Container": True, "Pod": False}


def limit_ranges(cluster: str) -> Kind[LimitRange]:
    """The LimitRanges of a cluster."""
    path = f"/api/v1/{LIMIT_RANGES}"
    return Kind(path=path, read=partial(read_limit_range, cluster), namespaced=True, optional=True)


def read_limit_range(cluster: str, raw: msgspec.Raw, problems: list[Problem]) -> LimitRange:
    """Read one LimitRange."""
    found = decode_object(_LIMIT_RANGE, raw, problems, vital=("spec",))
    items = (found.spec or _Spec()).limits or ()
    limits = [limit for item in items if item.type in _OF_CONTAINER for limit in _limits(item, problems)]
    return LimitRange(
        cluster=cluster,
        namespace=found.metadata.namespace,
        name=found.metadata.name,
        limits=tuple(sorted(limits, key=lambda one: (one.resource, not one.of_container))),
    )


def _limits(item: _Item, problems: list[Problem]) -> list[Limit]:
    named = sorted(filter(is_gpu_resource, {**(item.min or {}), **(item.max or {}), **(item.default or {})}))
    return [_limit(name, item, problems) for name in named]


def _limit(name: str, item: _Item, problems: list[Problem]) -> Limit:
    def amount(part: str, amounts: _Amounts) -> Quantity | None:
        path = f"spec.limits[{item.type}].{part}"
        return read_amount(name, amounts[name], path, problems) if amounts and name in amounts else None

    of_container, most = _OF_CONTAINER[item.type], amount("max", item.max)
    given = (amount("default", item.default) or most) if of_container else None
    return Limit(
        resource=name, of_container=of_container, least=amount("min", item.min), most=most, given=given
    )
