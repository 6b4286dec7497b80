"""What a workspace holds of what it was given."""

from collections import defaultdict
from decimal import Decimal

from gateway.errors import System
from gateway.fleet.capacity import GpuAllocation
from gateway.fleet.cards import GPU
from gateway.fleet.cost import cost_of, price_at
from gateway.fleet.entity import EntityKind, entity_id
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import GpuType, NodeGpus
from gateway.fleet.platform import Allocation, Workspace
from gateway.fleet.pod import Pod
from gateway.fleet.queue import Queue
from gateway.fleet.sums import above, total
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined

Count = int | Unknown


def allocations(workspace: Workspace, fleet: Fleet) -> tuple[GpuAllocation, ...]:
    """What the platform gave to a workspace, each beside what its queue says of it."""
    used = _used(workspace, fleet)
    return tuple(
        _allocation(workspace, one, used if isinstance(used, Unknown) else used[one.gpu_type], fleet)
        for one in workspace.allocations
        if one.gpu_type in fleet.gpu_types
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
    held = _held(workspace, fleet)
    if isinstance(held, Unknown):
        return held
    if len(names) == 1 and held.keys() <= set(names):
        return {names[0]: counted}
    if sum(held.values()) != counted:
        said = f"the queue counts {counted} GPUs and the pods' nodes {sum(held.values())}: no split by type"
        return undetermined(System.QUEUES, said)
    return {name: held.get(name, 0) for name in names}


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
    if isinstance(amount.value, Decimal) and amount.value == int(amount.value) and amount.value >= 0:
        return int(amount.value)
    said = f"queue {queue.name} says {amount.text!r} of {GPU}: no count of GPUs"
    return amount.value if isinstance(amount.value, Unknown) else undetermined(System.QUEUES, said)


def _held(workspace: Workspace, fleet: Fleet) -> dict[str, int] | Unknown:
    """Count whole cards by GPU type over the nodes of the workspace's pods."""
    pods = fleet.pods_of_namespaces(workspace.cluster_name, workspace.namespaces)
    if isinstance(pods, Unknown):
        return pods
    held: defaultdict[str, int] = defaultdict(int)
    for pod in pods:
        cards = _cards_of(pod) if pod.holds_gpus else 0
        if isinstance(cards, Unknown):
            return cards
        if cards:
            kind = _type_of_node(pod, fleet)
            if isinstance(kind, Unknown):
                return kind
            held[kind] += cards
    return held


def _cards_of(pod: Pod) -> Count:
    return total((claim.resource, claim.count) for claim in pod.gpus if claim.resource == GPU)


def _type_of_node(pod: Pod, fleet: Fleet) -> str | Unknown:
    """Name the type of the card that a pod's node gives for nvidia.com/gpu."""
    node = fleet.node(pod.cluster, pod.node_name or "")
    gpus = node.gpus if node else None
    if not isinstance(gpus, NodeGpus):
        return gpus or undetermined(System.KUBERNETES, f"node {pod.node_name} of pod {pod.name} is not known")
    if isinstance(gpus.resources, Unknown):
        return gpus.resources
    unit = next((one.unit for one in gpus.resources or () if one.name == GPU), None)
    if unit is not GpuUnit.CARD:
        return undetermined(System.QUEUES, f"on {pod.node_name} {GPU} counts no whole cards")
    kind = gpus.type
    if isinstance(kind, GpuType):
        return kind.name
    return kind or undetermined(System.KUBERNETES, f"the GPU type of {pod.node_name} is not known")
