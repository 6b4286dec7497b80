"""What a group of slices crosses to."""

import strawberry

from gateway.fleet.mig import MigSlice
from gateway.fleet.node import Node
from gateway.fleet.pod import Pod
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.context import Info


def node(group: strawberry.Parent[MigSlice], info: Info) -> Node:
    """The machine whose cards are cut."""
    return info.context.fleet.listings.nodes.rows[group.cluster, group.node]


def pods(group: strawberry.Parent[MigSlice], info: Info) -> Maybe[list[Pod]]:
    """The pods that hold some of them."""
    machine = info.context.fleet.node(group.cluster, group.node)
    if machine is None:
        return None
    if isinstance(machine.pods, Unknown):
        return machine.pods
    return [pod for pod in machine.pods if pod.holds_gpus and _asks(pod, group.resource_name)]


def _asks(pod: Pod, resource: str) -> bool:
    return any(claim.resource == resource for claim in pod.gpus)
