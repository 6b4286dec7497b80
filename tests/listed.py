"""ResourceSlices and ResourceClaims as drivers and Kubernetes write them, for tests."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from gateway.fleet.dra import ResourceClaim, ResourceSlice
from gateway.sources.kubernetes.resourceclaims import read_claim
from gateway.sources.kubernetes.resourceslices import read_slice
from tests.builders import CLUSTER

DRIVER = "gpu.nvidia.com"
A100_PRODUCT = "NVIDIA A100-SXM4-40GB"
Json = dict[str, Any]


def a_gpu(at: int, *, product: str = A100_PRODUCT, **more: object) -> Json:
    """A whole card as NVIDIA's driver lists it."""
    told = {"type": "gpu", "uuid": f"GPU-{at}", "productName": product}
    return {"name": f"gpu-{at}", "attributes": _attributes(told), **more}


def a_part(at: int, start: int, profile: str = "1g.5gb", **more: object) -> Json:
    """A part of a card, there or possible."""
    uuid = f"MIG-{at}-{profile}-{start}"
    told = {"type": "mig", "uuid": uuid, "parentUUID": f"GPU-{at}", "profile": profile}
    told["productName"] = A100_PRODUCT
    return {"name": f"gpu-{at}-mig-{profile}-{start}", "attributes": _attributes(told), **more}


def tainted(effect: str = "NoExecute") -> Json:
    """What keeps work from a device."""
    return {"taints": [{"key": "gpu.nvidia.com/xid", "effect": effect}]}


def a_slice_object(node: str, devices: Iterable[Json], **more: object) -> Json:
    """A ResourceSlice as JSON; without more, the only one of its pool."""
    told = {"generation": 1, "of": 1, "driver": DRIVER, "part": 0, **more}
    pool = {"name": node, "generation": told["generation"], "resourceSliceCount": told["of"]}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node}-{told['driver']}-{told['generation']}-{told['part']}"},
        "spec": {"driver": told["driver"], "pool": pool, "nodeName": node, "devices": list(devices)},
    }


def a_claim_object(name: str, *devices: str, node: str = "gpu-01", admin: bool = False) -> Json:
    """A ResourceClaim as JSON that was given these devices."""
    results = [{"driver": DRIVER, "pool": node, "device": one, "request": "gpu"} for one in devices]
    if admin:
        results = [one | {"adminAccess": True} for one in results]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "training"},
        "status": {"allocation": {"devices": {"results": results}}} if devices else {},
    }


def a_slice(node: str, devices: Iterable[Json], **more: object) -> ResourceSlice:
    """A ResourceSlice as it is read."""
    return read_slice(CLUSTER, _raw(a_slice_object(node, devices, **more)), [])


def a_claim(name: str, *devices: str, node: str = "gpu-01", admin: bool = False) -> ResourceClaim:
    """A ResourceClaim as it is read."""
    return read_claim(CLUSTER, _raw(a_claim_object(name, *devices, node=node, admin=admin)), [])


def _attributes(told: Mapping[str, str]) -> Json:
    return {name: {"string": text} for name, text in told.items()}


def _raw(body: Json) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(body))
