"""Reads namespaces: their labels."""

from functools import partial

import msgspec
from immutables import Map

from gateway.fleet.namespace import NAMESPACES, Namespace
from gateway.sources.kubernetes.decoding import decode_object
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.sync import Problem


class _Metadata(msgspec.Struct):
    name: str
    labels: dict[str, str] | None = None


class _Namespace(msgspec.Struct):
    metadata: _Metadata


_NAMESPACE = msgspec.json.Decoder(_Namespace)


def namespaces(cluster: str) -> Kind[Namespace]:
    """The namespaces of a cluster."""
    return Kind(path=f"/api/v1/{NAMESPACES}", read=partial(read_namespace, cluster), optional=True)


def read_namespace(cluster: str, raw: msgspec.Raw, problems: list[Problem]) -> Namespace:
    """Read one namespace."""
    metadata = decode_object(_NAMESPACE, raw, problems, vital=("metadata.labels",)).metadata
    return Namespace(cluster=cluster, name=metadata.name, labels=Map(metadata.labels or {}))
