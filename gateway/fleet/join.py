"""One node out of what each system says of it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gateway.errors import System
from gateway.fleet.cards import Cards, gpu_unit, kubernetes_cards, slurm_cards
from gateway.fleet.catalogue import type_of_product, type_of_slurm
from gateway.fleet.gpu import DeviceResource, ExtendedResource, GpuSharing, GpuType, NodeGpus, SharingStrategy
from gateway.fleet.health import NodeDevices, kubernetes_health, slurm_health
from gateway.fleet.mig import MigSlice
from gateway.fleet.node import KubernetesNode, Node, NodeHealth
from gateway.fleet.partition import mig_slices, partition
from gateway.fleet.platform import NodeRecord, Target
from gateway.fleet.pod import Pod
from gateway.fleet.quantity import Quantity, device_count
from gateway.fleet.slurm import SlurmJob, SlurmNode
from gateway.fleet.sums import above
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What each system says of one machine."""

    cluster: str
    name: str
    kubernetes: Maybe[KubernetesNode]
    record: Maybe[NodeRecord]
    slurm: Maybe[SlurmNode]
    pods: tuple[Pod, ...] | Unknown
    jobs: tuple[SlurmJob, ...] | Unknown


def join(parts: Parts, types: Mapping[str, GpuType]) -> Node | None:
    """Join the parts of one machine; None where no system knows it."""
    known_to = tuple(_known_to(parts))
    if not known_to:
        return None
    devices = _devices(parts, types)
    return Node(
        cluster=parts.cluster,
        name=parts.name,
        known_to=known_to,
        kubernetes=parts.kubernetes,
        record=parts.record,
        slurm=parts.slurm,
        pods=parts.pods,
        jobs=parts.jobs,
        is_gpu_node=_is_gpu_node(parts),
        gpus=devices.gpus,
        mig_slices=devices.slices,
        health=devices.health,
        busy=_busy(parts),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Devices:
    gpus: Maybe[NodeGpus]
    slices: Maybe[tuple[MigSlice, ...]]
    health: Maybe[NodeHealth]


_NO_DEVICES = _Devices(gpus=None, slices=None, health=None)


def _known_to(parts: Parts) -> Iterator[System]:
    if isinstance(parts.kubernetes, KubernetesNode):
        yield System.KUBERNETES
    if isinstance(parts.record, NodeRecord):
        yield System.PLATFORM
    if isinstance(parts.slurm, SlurmNode):
        yield System.SLURM


def _is_gpu_node(parts: Parts) -> bool:
    node, slurm = parts.kubernetes, parts.slurm
    by_kubernetes = isinstance(node, KubernetesNode) and (
        node.gpu_labels.is_gpu_machine or bool(node.resources)
    )
    by_slurm = isinstance(slurm, SlurmNode) and bool(slurm.gres)
    return by_kubernetes or by_slurm or isinstance(parts.record, NodeRecord)


def _busy(parts: Parts) -> bool | Unknown:
    pods, jobs = parts.pods, parts.jobs
    if not isinstance(pods, Unknown) and any(pod.holds_gpus for pod in pods):
        return True
    if not isinstance(jobs, Unknown) and any(job.holds_nodes for job in jobs):
        return True
    return next((part for part in (pods, jobs) if isinstance(part, Unknown)), False)


def _devices(parts: Parts, types: Mapping[str, GpuType]) -> _Devices:
    if isinstance(parts.kubernetes, KubernetesNode):
        return _kubernetes_devices(parts, parts.kubernetes, types)
    if isinstance(parts.slurm, SlurmNode) and parts.kubernetes is None:
        return _slurm_devices(parts.slurm, types)
    silent = next((part for part in (parts.kubernetes, parts.slurm) if isinstance(part, Unknown)), None)
    return _Devices(gpus=silent, slices=silent, health=silent) if silent else _NO_DEVICES


def _kubernetes_devices(parts: Parts, node: KubernetesNode, types: Mapping[str, GpuType]) -> _Devices:
    if not _is_gpu_node(parts):
        return _NO_DEVICES
    cards = kubernetes_cards(node)
    gpu_type = _type_of(node, cards, types)
    resources = tuple(_resource(node, resource, parts.pods) for resource in node.resources)
    known_type = gpu_type if isinstance(gpu_type, GpuType) else None
    slices = mig_slices(node, known_type, resources)
    cut = partition(node, cards.count, slices)
    found = NodeDevices(cards=cards.count, partition=cut, resources=resources, slices=slices)
    return _Devices(
        gpus=_kubernetes_gpus(node, cards, gpu_type, found),
        slices=slices,
        health=_health(parts, node, found),
    )


def _health(parts: Parts, node: KubernetesNode, found: NodeDevices) -> NodeHealth | Unknown:
    """Judge by the system that the node serves, where that one knows it."""
    record = parts.record
    if isinstance(record, NodeRecord) and record.target is Target.SLURM:
        if isinstance(parts.slurm, Unknown):
            return parts.slurm
        if parts.slurm is not None:
            return slurm_health(parts.slurm, found.cards)
    return kubernetes_health(node, found)


def _slurm_devices(node: SlurmNode, types: Mapping[str, GpuType]) -> _Devices:
    if not node.gres:
        return _NO_DEVICES
    cards = slurm_cards(node)
    gpus = NodeGpus(
        type=_slurm_type(node, types),
        product=None,
        memory_mib=None,
        driver_version=None,
        cuda_version=None,
        cards=cards.count,
        cards_basis=cards.basis,
        whole_cards=cards.count,
        partitioned_cards=cards.count if isinstance(cards.count, Unknown) else 0,
        sharing=None,
        resources=None,
        mig_strategy=None,
        mig_config=None,
        mig_config_state=None,
        labels_since=None,
    )
    return _Devices(gpus=gpus, slices=None, health=slurm_health(node, cards.count))


def _kubernetes_gpus(
    node: KubernetesNode, cards: Cards, gpu_type: GpuType | Unknown, found: NodeDevices
) -> NodeGpus:
    labels = node.gpu_labels
    return NodeGpus(
        type=gpu_type,
        product=labels.product,
        memory_mib=labels.memory_mib,
        driver_version=labels.driver_version,
        cuda_version=labels.cuda_version,
        cards=cards.count,
        cards_basis=cards.basis,
        whole_cards=found.partition.whole,
        partitioned_cards=found.partition.partitioned,
        sharing=_sharing(node),
        resources=found.resources,
        mig_strategy=labels.mig_strategy,
        mig_config=labels.mig_config,
        mig_config_state=labels.mig_config_state,
        labels_since=labels.since,
    )


def _type_of(node: KubernetesNode, cards: Cards, types: Mapping[str, GpuType]) -> GpuType | Unknown:
    product = node.gpu_labels.product
    if not cards.labels_tell_type:
        return undetermined(
            System.KUBERNETES, f"the labels name {product}, one of several models on the node"
        )
    if product is None:
        return undetermined(System.KUBERNETES, "no label nvidia.com/gpu.product")
    found = type_of_product(types, product)
    return found or undetermined(System.KUBERNETES, f"neither the platform nor the catalogue knows {product}")


def _slurm_type(node: SlurmNode, types: Mapping[str, GpuType]) -> GpuType | Unknown:
    names = sorted({gres.type or "" for gres in node.gres if gres.unit is GpuUnit.CARD})
    if len(names) != 1:
        return undetermined(System.SLURM, f"its GRES names {len(names)} types: {', '.join(names) or 'none'}")
    found = type_of_slurm(types, names[0])
    return found or undetermined(System.SLURM, f"the GRES type {names[0]!r} does not tell one model")


def _sharing(node: KubernetesNode) -> Maybe[GpuSharing]:
    replicas, strategy = node.gpu_labels.replicas, node.gpu_labels.sharing_strategy
    if replicas is None or isinstance(replicas, Unknown):
        return replicas
    if isinstance(strategy, Unknown):
        return strategy
    return GpuSharing(strategy=strategy or SharingStrategy.NONE, replicas=replicas)


def _resource(
    node: KubernetesNode, resource: DeviceResource, pods: tuple[Pod, ...] | Unknown
) -> ExtendedResource:
    capacity, allocatable = _count(resource.capacity), _count(resource.allocatable)
    requested = pods if isinstance(pods, Unknown) else requested_of(pods, resource.name)
    return ExtendedResource(
        name=resource.name,
        unit=gpu_unit(node, resource.name),
        capacity=capacity,
        allocatable=allocatable,
        requested=requested,
        free=above(allocatable, requested),
        deficit=above(requested, allocatable),
    )


def requested_of(pods: Iterable[Pod], resource: str) -> int | Unknown:
    """Sum what bound pods that have not ended ask of one resource."""
    total = 0
    for pod in pods:
        for claim in pod.gpus if pod.holds_gpus else ():
            if claim.resource != resource:
                continue
            if not isinstance(claim.count, int):
                return claim.count or undetermined(System.KUBERNETES, f"{pod.name}: no count of {resource}")
            total += claim.count
    return total


def _count(amount: Maybe[Quantity]) -> Maybe[int]:
    return device_count(amount, System.KUBERNETES) if isinstance(amount, Quantity) else amount
