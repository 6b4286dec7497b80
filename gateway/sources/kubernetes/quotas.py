"""Reads ResourceQuotas: what namespaces may have of GPUs."""

from collections.abc import Mapping
from functools import partial

import msgspec

from gateway.fleet.quantity import Quantity
from gateway.fleet.quota import QUOTAS, ResourceQuota, is_gpu_key
from gateway.sources.kubernetes.amounts import read_amount
from gateway.sources.kubernetes.decoding import decode_object
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.sync import Problem


class _Metadata(msgspec.Struct):
    name: str
    namespace: str


class _Spec(msgspec.Struct):
    hard: dict[str, msgspec.Raw] | None = None
    scopes: list[str] | None = None
    selector: dict[str, object] | None = msgspec.field(name="scopeSelector", default=None)


class _Status(msgspec.Struct):
    used: dict[str, msgspec.Raw] | None = None


class _ResourceQuota(msgspec.Struct):
    metadata: _Metadata
    spec: _Spec | None = None
    status: _Status | None = None


_QUOTA = msgspec.json.Decoder(_ResourceQuota)


def quotas(cluster: str) -> Kind[ResourceQuota]:
    """The ResourceQuotas of a cluster."""
    return Kind(path=f"/api/v1/{QUOTAS}", read=partial(read_quota, cluster), namespaced=True, optional=True)


def read_quota(cluster: str, raw: msgspec.Raw, problems: list[Problem]) -> ResourceQuota:
    """Read one quota: of what is written, since its status lags behind (1.36)."""
    quota = decode_object(_QUOTA, raw, problems, vital=("spec",))
    spec, status = quota.spec or _Spec(), quota.status or _Status()
    return ResourceQuota(
        cluster=cluster,
        namespace=quota.metadata.namespace,
        name=quota.metadata.name,
        hard=_of_gpus(spec.hard, "spec.hard", problems),
        used=_of_gpus(status.used, "status.used", problems),
        scoped=bool(spec.scopes or spec.selector),
    )


def _of_gpus(
    amounts: Mapping[str, msgspec.Raw] | None, path: str, problems: list[Problem]
) -> tuple[Quantity, ...]:
    found = amounts or {}
    return tuple(read_amount(key, found[key], path, problems) for key in sorted(found) if is_gpu_key(key))
