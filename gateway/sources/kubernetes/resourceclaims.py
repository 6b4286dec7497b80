"""Reads ResourceClaims: which devices were given to whom (resource.k8s.io/v1)."""

from functools import partial

import msgspec

from gateway.fleet.dra import Given, ResourceClaim
from gateway.sources.kubernetes.decoding import decode_object
from gateway.sources.kubernetes.objects import Kind
from gateway.sources.sync import Problem


class _Metadata(msgspec.Struct):
    name: str
    namespace: str


class _Result(msgspec.Struct):
    driver: str
    pool: str
    device: str
    admin: bool | None = msgspec.field(name="adminAccess", default=None)


class _Devices(msgspec.Struct):
    results: list[_Result] | None = None


class _Allocation(msgspec.Struct):
    devices: _Devices | None = None


class _Status(msgspec.Struct):
    allocation: _Allocation | None = None


class _ResourceClaim(msgspec.Struct):
    metadata: _Metadata
    status: _Status | None = None


_CLAIM = msgspec.json.Decoder(_ResourceClaim)


def resource_claims(cluster: str) -> Kind[ResourceClaim]:
    """The ResourceClaims of a cluster."""
    path = "/apis/resource.k8s.io/v1/resourceclaims"
    return Kind(path=path, read=partial(read_claim, cluster), namespaced=True, optional=True)


def read_claim(cluster: str, raw: msgspec.Raw, problems: list[Problem]) -> ResourceClaim:
    """Read one claim; an administrator's access takes nothing from others."""
    claim = decode_object(_CLAIM, raw, problems, vital=("status",))
    allocation = claim.status.allocation if claim.status else None
    results = (allocation.devices.results if allocation and allocation.devices else None) or ()
    return ResourceClaim(
        cluster=cluster,
        namespace=claim.metadata.namespace,
        name=claim.metadata.name,
        given=tuple(Given(one.driver, one.pool, one.device) for one in results if not one.admin),
    )
