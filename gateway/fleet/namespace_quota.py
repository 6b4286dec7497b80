"""What the quotas of namespaces allow of GPUs: which keys bind, which do nothing, and what a count means."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from gateway.fleet.gpu import ExtendedResource, NodeGpus
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.quantity import Quantity
from gateway.fleet.quota import LIMITS, REQUESTS, ResourceQuota, binds, resource_of
from gateway.fleet.unit import GpuUnit

_READ_BY_HAMI = f"{LIMITS}nvidia.com/gpu"
"""How keys begin that HAMi's scheduler holds pods to."""
_COUNTED = {GpuUnit.CARD: "cards", GpuUnit.SLICE: "slices", GpuUnit.SHARE: "shares"}


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceQuota:
    """One key of one ResourceQuota, as far as it is about GPUs."""

    namespace: str
    name: str
    resource: str
    """The key as it is written: requests.nvidia.com/gpu."""
    hard: Quantity
    used: Quantity | None
    """None: Kubernetes does not count this key."""
    enforced: bool
    note: str | None


def namespace_quotas(quotas: Iterable[ResourceQuota], nodes: Collection[Node]) -> Iterator[NamespaceQuota]:
    """The keys of these quotas by namespace, name and key, and what each does on these machines."""
    by_hami = any(is_split_by_hami(node) for node in nodes)
    for quota in sorted(quotas, key=lambda one: (one.namespace, one.name)):
        for amount in quota.hard:
            enforced = binds(amount.resource) or (by_hami and is_read_by_hami(amount.resource))
            yield NamespaceQuota(
                namespace=quota.namespace,
                name=quota.name,
                resource=amount.resource,
                hard=amount,
                used=next((one for one in quota.used if one.resource == amount.resource), None),
                enforced=enforced,
                note=_meaning(amount.resource, nodes) if enforced else _no_effect(amount.resource),
            )


def is_split_by_hami(node: Node) -> bool:
    """Whether HAMi hands out the cards of a machine."""
    return isinstance(node.kubernetes, KubernetesNode) and bool(node.kubernetes.hami_register)


def is_read_by_hami(key: str) -> bool:
    """Whether HAMi's scheduler holds pods to this key."""
    return key.startswith(_READ_BY_HAMI)


def _no_effect(key: str) -> str:
    return f"holds nobody back: Kubernetes counts {REQUESTS}{resource_of(key)} alone"


def _meaning(key: str, nodes: Collection[Node]) -> str | None:
    """What one of the counted is on the machines that offer it, where that is not a card."""
    offered = [one for node in nodes for one in _resources(node) if one.name == resource_of(key)]
    units = {one.unit for one in offered if one.unit is not None and one.unit in _COUNTED}
    replicas = {count for node in nodes if (count := _replicas(node, resource_of(key))) > 1}
    if GpuUnit.SHARE in units and len(units) == 1:
        each = " or ".join(map(str, sorted(replicas)))
        return f"counts shares, of which {each} are one card" if each else "counts shares of cards"
    if units == {GpuUnit.SLICE}:
        return "counts MIG slices of this one profile; every other profile needs a key of its own"
    if len(units) > 1:
        words = sorted(_COUNTED[unit] for unit in units)
        return f"counts {' and '.join(words)} alike: its machines offer all of them by this name"
    return None if offered else "counts what no machine of the cluster offers"


def _resources(node: Node) -> Iterable[ExtendedResource]:
    resources = node.gpus.resources if isinstance(node.gpus, NodeGpus) else ()
    return resources if isinstance(resources, tuple) else ()


def _replicas(node: Node, resource: str) -> int:
    if not (isinstance(node.gpus, NodeGpus) and any(one.name == resource for one in _resources(node))):
        return 0
    return getattr(node.gpus.sharing, "replicas", 0)
