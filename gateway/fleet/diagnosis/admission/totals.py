"""What a cluster has in all, as Volcano counts it: nodes that are cordoned or not ready included."""

from decimal import Decimal

from gateway.fleet.diagnosis.admission.waiting import NONE
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import DeviceResource
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.quantity import Quantity
from gateway.fleet.unknown import Maybe, Unknown


def total(cluster: str, fleet: Fleet, resource: str) -> Decimal | Unknown:
    """How much of a resource all nodes give."""
    nodes = fleet.nodes(cluster)
    if isinstance(nodes, Unknown):
        return nodes
    found = NONE
    for node in nodes.values():
        part = node.kubernetes
        amount = part.allocatable.get(resource, NONE) if isinstance(part, KubernetesNode) else part or NONE
        if isinstance(amount, Unknown):
            return amount
        found += amount
    return found


def used(cluster: str, fleet: Fleet, resource: str) -> Decimal | Unknown:
    """How much of it pods hold, whoever placed them, those that are leaving included."""
    pods = fleet.pods(cluster)
    if isinstance(pods, Unknown):
        return pods
    found = NONE
    for pod in pods.values():
        amount = pod.requests.get(resource, NONE) if pod.node_name and not pod.ended else NONE
        if isinstance(amount, Unknown):
            return amount
        found += amount
    return found


def built_in(cluster: str, fleet: Fleet, resource: str) -> Decimal | None:
    """How much of a GPU resource its nodes have, allocatable or not; None where some do not say."""
    amounts = [_value(one.capacity) for _, one in _devices(cluster, fleet, resource)]
    known = [one for one in amounts if one is not None]
    return sum(known, NONE) if len(known) == len(amounts) else None


def lame_node(cluster: str, fleet: Fleet, resource: str) -> Node | None:
    """The first node by name that has more of a GPU resource than it gives."""
    for node, one in sorted(_devices(cluster, fleet, resource), key=lambda device: device[0].name):
        if (_value(one.capacity) or NONE) > (_value(one.allocatable) or NONE):
            return node
    return None


def _devices(cluster: str, fleet: Fleet, resource: str) -> list[tuple[Node, DeviceResource]]:
    nodes = fleet.nodes(cluster)
    found = [] if isinstance(nodes, Unknown) else list(nodes.values())
    return [
        (node, one)
        for node in found
        if isinstance(node.kubernetes, KubernetesNode)
        for one in node.kubernetes.resources
        if one.name == resource
    ]


def _value(amount: Maybe[Quantity]) -> Decimal | None:
    return amount.value if isinstance(amount, Quantity) and isinstance(amount.value, Decimal) else None
