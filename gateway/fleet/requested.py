"""What a node offers of each GPU resource, what bound pods ask of it, what is left."""

from collections.abc import Iterable
from dataclasses import replace

from gateway.errors import System
from gateway.fleet.gpu import DeviceResource, ExtendedResource, is_gpu_resource
from gateway.fleet.node import KubernetesNode
from gateway.fleet.pod import Pod
from gateway.fleet.quantity import Quantity, device_count, whole_number
from gateway.fleet.sharing import gpu_unit
from gateway.fleet.sums import above
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined


def extended_resource(
    node: KubernetesNode, resource: DeviceResource, pods: tuple[Pod, ...] | Unknown
) -> ExtendedResource:
    """Set what bound pods ask of one resource against what the node offers of it."""
    unit = gpu_unit(node, resource.name)
    capacity, allocatable = _count(resource.capacity, unit), _count(resource.allocatable, unit)
    unasked = ExtendedResource(
        name=resource.name,
        unit=unit,
        capacity=capacity,
        allocatable=allocatable,
        requested=0,
        free=above(allocatable, 0),
        deficit=above(0, allocatable),
    )
    return asked_anew(unasked, pods)


def asked_anew(resource: ExtendedResource, pods: tuple[Pod, ...] | Unknown) -> ExtendedResource:
    """Set what these pods ask against the same offer; what is claimed is no matter of requests."""
    if not is_gpu_resource(resource.name):
        return resource
    requested = pods if isinstance(pods, Unknown) else requested_of(pods, resource.name)
    if requested == resource.requested:
        return resource
    free, deficit = above(resource.allocatable, requested), above(requested, resource.allocatable)
    return replace(resource, requested=requested, free=free, deficit=deficit)


def requested_of(pods: Iterable[Pod], resource: str) -> int | Unknown:
    """Sum what bound pods that have not ended ask of one resource."""
    total = 0
    for pod in pods:
        for claim in pod.gpus:
            if claim.resource != resource or not pod.holds_gpus:
                continue
            if not isinstance(claim.count, int):
                return claim.count or undetermined(System.KUBERNETES, f"{pod.name}: no count of {resource}")
            total += claim.count
    return total


def _count(amount: Maybe[Quantity], unit: GpuUnit | None) -> Maybe[int]:
    """Cores and memory may be more than any node has devices."""
    if not isinstance(amount, Quantity):
        return amount
    count = whole_number if unit in {GpuUnit.CORE, GpuUnit.MEMORY} else device_count
    return count(amount, System.KUBERNETES)
