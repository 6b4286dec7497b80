"""What a group of slices crosses to."""

import strawberry

from gateway.fleet.mig import MigSlice
from gateway.fleet.node import Node
from gateway.fleet.pod import Pod
from gateway.fleet.unknown import Maybe, Unknown
from resolvers.context import Info


def node(group: strawberry.Parent[MigSlice], info: Info) -> Node:
    """The machine whose cards are cut."""
    return _node_of(group, info)


def pods(group: strawberry.Parent[MigSlice], info: Info) -> Maybe[list[Pod]]:
    """The pods that hold some of them."""
    held = _node_of(group, info).pods
    if isinstance(held, Unknown):
        return held
    return [pod for pod in held if pod.holds_gpus and _asks(pod, group.resource_name)]


def _node_of(group: MigSlice, info: Info) -> Node:
    return info.context.fleet.listings.nodes.rows[group.cluster, group.node]


def _asks(pod: Pod, resource: str) -> bool:
    return any(claim.resource == resource for claim in pod.gpus)
