"""What a node offers of a resource, as a count of devices."""

from gateway.errors import System
from gateway.fleet.node import KubernetesNode
from gateway.fleet.quantity import Quantity, device_count
from gateway.fleet.unknown import Maybe, Unknown


def offers(node: KubernetesNode, name: str) -> bool:
    """Whether there is any of a resource; a key that stands at zero is history."""
    capacity = capacity_of(node, name)
    return isinstance(capacity, int) and capacity > 0


def capacity_of(node: KubernetesNode, name: str) -> Maybe[int]:
    """Count what a node has of one resource; None where it has no such key."""
    amount = amount_of(node, name)
    return (
        amount if amount is None or isinstance(amount, Unknown) else device_count(amount, System.KUBERNETES)
    )


def amount_of(node: KubernetesNode, name: str) -> Maybe[Quantity]:
    """What a node says that it has of one resource; None where it has no such key."""
    return next((one.capacity for one in node.resources if one.name == name), None)
