"""Reads runtime classes."""

from functools import partial

import msgspec

from gateway.fleet.runtime_class import RUNTIME_CLASSES, RuntimeClass
from gateway.sources.kubernetes.decoding import decode_object
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.sync import Problem


class _Metadata(msgspec.Struct):
    name: str


class _RuntimeClass(msgspec.Struct):
    metadata: _Metadata
    handler: str = ""


_RUNTIME_CLASS = msgspec.json.Decoder(_RuntimeClass)


def runtime_classes(cluster: str) -> Kind[RuntimeClass]:
    """The runtime classes of a cluster."""
    path = f"/apis/node.k8s.io/v1/{RUNTIME_CLASSES}"
    return Kind(path=path, read=partial(read_runtime_class, cluster), optional=True)


def read_runtime_class(cluster: str, raw: msgspec.Raw, problems: list[Problem]) -> RuntimeClass:
    """Read one runtime class."""
    found = decode_object(_RUNTIME_CLASS, raw, problems)
    return RuntimeClass(cluster=cluster, name=found.metadata.name, handler=found.handler)
