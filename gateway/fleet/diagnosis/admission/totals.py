"""What a cluster has in all, as Volcano counts it: nodes that are cordoned or not ready included."""

from decimal import Decimal

from gateway.fleet.diagnosis.admission.waiting import NONE
from gateway.fleet.fleet import Fleet
from gateway.fleet.node import KubernetesNode
from gateway.fleet.quantity import Quantity
from gateway.fleet.unknown import Unknown


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
    nodes = fleet.nodes(cluster)
    parts = [] if isinstance(nodes, Unknown) else [node.kubernetes for node in nodes.values()]
    told = (one for part in parts if isinstance(part, KubernetesNode) for one in part.resources)
    amounts = [one.capacity for one in told if one.name == resource]
    values = [one.value for one in amounts if isinstance(one, Quantity) and isinstance(one.value, Decimal)]
    return sum(values, NONE) if len(values) == len(amounts) else None
