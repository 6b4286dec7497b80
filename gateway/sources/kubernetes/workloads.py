"""Reads Kueue's workloads."""

from functools import partial

import msgspec

from gateway.fleet.condition import Condition
from gateway.fleet.kueue import WORKLOADS, KueueWorkload
from gateway.sources.kubernetes.conditions import RawCondition, read_conditions
from gateway.sources.kubernetes.decoding import decode_object
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.sync import Problem

_PATH = f"/apis/kueue.x-k8s.io/v1beta1/{WORKLOADS}"
"""Every release serves it so far (to 0.14), beside newer ones."""
_WAITS = ("QuotaReserved", "Admitted")


class _Owner(msgspec.Struct):
    kind: str
    name: str
    controller: bool | None = None


class _Metadata(msgspec.Struct):
    name: str
    namespace: str = ""
    uid: str = ""
    owners: list[_Owner] | None = msgspec.field(name="ownerReferences", default=None)


class _Status(msgspec.Struct):
    conditions: list[RawCondition] | None = None


class _Workload(msgspec.Struct):
    metadata: _Metadata
    status: _Status | None = None


_WORKLOAD = msgspec.json.Decoder(_Workload)


def workloads(cluster: str) -> Kind[KueueWorkload]:
    """The workloads of a cluster, where it has Kueue."""
    return Kind(path=_PATH, read=partial(read_workload, cluster), namespaced=True, optional=True)


def read_workload(cluster: str, raw: msgspec.Raw, problems: list[Problem]) -> KueueWorkload:
    """Read one workload."""
    workload = decode_object(_WORKLOAD, raw, problems, vital=("status.conditions",))
    metadata, status = workload.metadata, workload.status or _Status()
    return KueueWorkload(
        cluster=cluster,
        namespace=metadata.namespace,
        name=metadata.name,
        uid=metadata.uid,
        owner=next((f"{one.kind}/{one.name}" for one in metadata.owners or () if one.controller), None),
        waits=_waits(read_conditions(status.conditions, problems)),
    )


def _waits(conditions: tuple[Condition, ...]) -> Condition | None:
    if any((one.type, one.status) == ("Finished", "True") for one in conditions):
        return None
    return next((one for one in conditions if one.type in _WAITS and one.status == "False"), None)
