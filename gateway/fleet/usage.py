"""What a workspace holds of what it was given."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate

from gateway.errors import System
from gateway.fleet.capacity import GpuAllocation
from gateway.fleet.cost import cost_of, price_at
from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import GpuType, NodeGpus
from gateway.fleet.node import Node
from gateway.fleet.platform import Allocation, Workspace
from gateway.fleet.pod import Pod
from gateway.fleet.quantity import MOST_ON_A_NODE, whole_number
from gateway.fleet.queue import Queue
from gateway.fleet.sharing import GPU
from gateway.fleet.sums import above, total
from gateway.fleet.terms import node_cards
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined

Count = int | Unknown
_MOST_IN_A_CLUSTER = 100_000 * MOST_ON_A_NODE
"""While its nodes are silent: twenty times the nodes that Kubernetes is tested with."""


def allocations(workspace: Workspace, fleet: Fleet) -> tuple[GpuAllocation, ...]:
    """What the platform gave to a workspace, each beside what its queue says of it."""
    used = _used(workspace, fleet)
    return tuple(
        _allocation(workspace, one, used if isinstance(used, Unknown) else used[one.gpu_type], fleet)
        for one in workspace.allocations
    )


def _allocation(workspace: Workspace, given: Allocation, used: Maybe[int], fleet: Fleet) -> GpuAllocation:
    price = price_at(fleet.prices(given.gpu_type), fleet.now)
    return GpuAllocation(
        id=entity_id(EntityKind.ALLOCATION, workspace.tenant_name, workspace.name, given.gpu_type),
        generation=given.generation,
        gpu_type=fleet.gpu_types[given.gpu_type],
        cards=given.cards,
        used=used,
        headroom=above(given.cards, used),
        borrowed=above(used, given.cards),
        price_per_hour=price,
        cost_per_hour=cost_of(given.cards, price),
    )


def _used(workspace: Workspace, fleet: Fleet) -> dict[str, Maybe[int]] | Unknown:
    """Split what the queue counts by GPU type: at once where there is one, else by the pods' nodes."""
    names = [given.gpu_type for given in workspace.allocations]
    counted = _counted(workspace, fleet)
    if counted is None:
        return dict.fromkeys(names)
    if isinstance(counted, Unknown):
        return counted
    pods = fleet.pods_of_namespaces(workspace.cluster_name, workspace.namespaces)
    holding = pods if isinstance(pods, Unknown) else tuple(_holding(pods))
    if len(names) == 1:
        uncounted = None if isinstance(holding, Unknown) else _first_not_whole(holding, fleet)
        return uncounted or {names[0]: counted}
    return holding if isinstance(holding, Unknown) else _split(names, counted, holding, fleet)


def _counted(workspace: Workspace, fleet: Fleet) -> Maybe[int]:
    """Read the GPUs that the queue says are allocated; None where it has no such queue."""
    queue = fleet.queue(workspace.cluster_name, workspace.queue_name) if workspace.queue_name else None
    if not isinstance(queue, Queue):
        return queue
    if queue.allocated is None:
        return undetermined(System.QUEUES, f"queue {queue.name} does not say what is allocated")
    amount = next((one for one in queue.allocated if one.resource == GPU), None)
    if amount is None:
        return 0  # Volcano names a scalar as long as an allocated task asks for it
    count = whole_number(amount, System.QUEUES)
    if isinstance(count, Unknown) or _may_hold(count, workspace.cluster_name, fleet):
        return count
    said = f"queue {queue.name} says {amount.text!r} of {GPU}: more than the cards of its cluster"
    return undetermined(System.QUEUES, said)


def _may_hold(count: int, cluster: str, fleet: Fleet) -> bool:
    """Whether a cluster has so many cards; a node that nobody can count may have the most that one can."""
    nodes = fleet.nodes(cluster)
    if isinstance(nodes, Unknown):
        return count <= _MOST_IN_A_CLUSTER
    return any(most >= count for most in accumulate(map(_most_cards, nodes.values()), initial=0))


def _most_cards(node: Node) -> int:
    cards = node_cards(node)
    return MOST_ON_A_NODE if isinstance(cards, Unknown) else cards or 0


def _holding(pods: Iterable[Pod]) -> Iterator[tuple[Pod, Count]]:
    """The pods that hold nvidia.com/gpu, and how much of it."""
    for pod in pods:
        count = total((one.resource, one.count) for one in pod.gpus if one.resource == GPU)
        if pod.holds_gpus and count != 0:
            yield pod, count


def _split(
    names: list[str], counted: int, holding: Iterable[tuple[Pod, Count]], fleet: Fleet
) -> dict[str, Maybe[int]] | Unknown:
    held: defaultdict[str, int] = defaultdict(int)
    for pod, count in holding:
        kind = _first_not_whole([(pod, count)], fleet) or _type_of_node(pod, fleet)
        if isinstance(kind, Unknown):
            return kind
        if isinstance(count, Unknown):
            return count
        held[kind] += count
    if sum(held.values()) != counted:
        said = f"the queue counts {counted} GPUs and the pods' nodes {sum(held.values())}: no split by type"
        return undetermined(System.QUEUES, said)
    return {name: held[name] for name in names}


def _first_not_whole(holding: Iterable[tuple[Pod, Count]], fleet: Fleet) -> Unknown | None:
    """Why nvidia.com/gpu counts no whole cards for one of these pods; None where it may for all."""
    for pod, _ in holding:
        node = _node_of(pod, fleet)
        resources = node.gpus.resources if node and isinstance(node.gpus, NodeGpus) else ()
        for one in resources if isinstance(resources, tuple) else ():
            if one.name == GPU and one.unit in {GpuUnit.SLICE, GpuUnit.SHARE}:
                return undetermined(System.KUBERNETES, f"on {pod.node_name} {GPU} counts {one.unit.value}s")
    return None


def _type_of_node(pod: Pod, fleet: Fleet) -> str | Unknown:
    """Name the type of the cards of a pod's node."""
    node = _node_of(pod, fleet)
    gpus = node.gpus if node else None
    if not isinstance(gpus, NodeGpus):
        return gpus or undetermined(System.KUBERNETES, f"node {pod.node_name} of pod {pod.name} is not known")
    if isinstance(gpus.type, GpuType):
        return gpus.type.name
    return gpus.type or undetermined(System.KUBERNETES, f"the GPU type of {pod.node_name} is not known")


def _node_of(pod: Pod, fleet: Fleet) -> Node | None:
    return fleet.node(pod.cluster, pod.node_name or "")
