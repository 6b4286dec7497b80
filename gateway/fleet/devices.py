"""The GPUs of a machine as the systems tell of them: cards, slices, health."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gateway.errors import System
from gateway.fleet.beside import Beside
from gateway.fleet.cards import Cards, guest, kubernetes_cards, other_vendor, slurm_cards
from gateway.fleet.catalogue import type_of_product, type_of_slurm
from gateway.fleet.claimed import claimed_resources, listed_product
from gateway.fleet.gpu import CardsBasis, ExtendedResource, GpuSharing, GpuType, NodeGpus, SharingStrategy
from gateway.fleet.health import NodeDevices, kubernetes_health, slurm_health
from gateway.fleet.mig import MigSlice
from gateway.fleet.node import KubernetesNode, NodeHealth
from gateway.fleet.operand_pods import crash_of
from gateway.fleet.partition import mig_slices, partition
from gateway.fleet.parts import Parts
from gateway.fleet.platform import NodeRecord, Target
from gateway.fleet.pod import Pod
from gateway.fleet.requested import asked_anew, extended_resource
from gateway.fleet.sharing import is_shared
from gateway.fleet.slurm import SlurmNode
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Maybe, Unknown, undetermined

Types = Mapping[str, GpuType]


@dataclass(frozen=True, slots=True, kw_only=True)
class Devices:
    """What the GPUs of a machine come to; None: it has none, or no system knows it."""

    gpus: Maybe[NodeGpus]
    slices: Maybe[tuple[MigSlice, ...]]
    health: Maybe[NodeHealth]


NO_DEVICES = Devices(gpus=None, slices=None, health=None)


def silent_devices(kubernetes: Unknown | None, slurm: Unknown | None) -> Devices:
    """Nothing can be told while a system is silent; slices are Kubernetes' alone to tell."""
    why = kubernetes or slurm
    return Devices(gpus=why, slices=kubernetes, health=why)


def kubernetes_devices(node: KubernetesNode, parts: Parts, types: Types) -> Devices:
    """Tell the GPUs of a machine that Kubernetes knows."""
    beside = parts.beside
    cards = kubernetes_cards(node, beside, types)
    kind = _type_of(node, cards, parts, types)
    known = kind if isinstance(kind, GpuType) else None
    own = tuple(extended_resource(node, resource, ()) for resource in node.resources)
    resources = own + claimed_resources(beside)
    slices = mig_slices(node, known, own)
    cut = partition(node, known, cards, slices, beside)
    found = NodeDevices(
        cards=cards,
        gpu_type=known,
        partition=cut,
        resources=resources,
        slices=slices,
        beside=beside,
        crash=crash_of(parts.pods),
    )
    health = _health(kubernetes_health(node, found), parts.record, parts.slurm, cards.count)
    return requested_anew(Devices(gpus=_gpus(node, kind, found), slices=slices, health=health), parts.pods)


def requested_anew(devices: Devices, pods: tuple[Pod, ...] | Unknown) -> Devices:
    """Set what these pods ask against the same devices."""
    gpus, slices = devices.gpus, devices.slices
    if not isinstance(gpus, NodeGpus) or not isinstance(gpus.resources, tuple):
        return devices
    resources = tuple(asked_anew(one, pods) for one in gpus.resources)
    if isinstance(slices, tuple):
        asked = {one.name: one for one in resources}
        slices = tuple(_asked_of(group, asked[group.resource_name]) for group in slices)
    return Devices(gpus=replace(gpus, resources=resources), slices=slices, health=devices.health)


def _asked_of(group: MigSlice, resource: ExtendedResource) -> MigSlice:
    if group.requested == resource.requested:
        return group
    return replace(group, requested=resource.requested, free=resource.free)


def slurm_devices(node: SlurmNode, types: Types) -> Devices:
    """Tell the GPUs of a machine that only Slurm knows."""
    if not node.gres:
        return NO_DEVICES
    cards = slurm_cards(node)
    gpus = NodeGpus(
        type=_type_of_gres(node, types),
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
    return Devices(gpus=gpus, slices=None, health=slurm_health(node, cards.count))


def _health(
    by_kubernetes: NodeHealth, record: Maybe[NodeRecord], slurm: Maybe[SlurmNode], cards: int | Unknown
) -> NodeHealth | Unknown:
    """Let the system judge that the machine serves, where that one knows it."""
    if isinstance(record, NodeRecord) and record.target is Target.SLURM:
        if isinstance(slurm, SlurmNode):
            return slurm_health(slurm, cards)
        return by_kubernetes if slurm is None else slurm
    if isinstance(record, Unknown) and isinstance(slurm, SlurmNode):
        agreed = slurm_health(slurm, cards).usable_cards == by_kubernetes.usable_cards
        return by_kubernetes if agreed else record
    return by_kubernetes


def _gpus(node: KubernetesNode, kind: GpuType | Unknown, found: NodeDevices) -> NodeGpus:
    labels = node.gpu_labels
    return NodeGpus(
        type=kind,
        product=labels.product,
        memory_mib=labels.memory_mib,
        driver_version=labels.driver_version,
        cuda_version=labels.cuda_version,
        cards=found.cards.count,
        cards_basis=found.cards.basis,
        whole_cards=found.partition.whole,
        partitioned_cards=found.partition.partitioned,
        sharing=_sharing(node),
        resources=found.resources,
        mig_strategy=labels.mig_strategy,
        mig_config=labels.mig_config,
        mig_config_state=labels.mig_config_state,
        labels_since=labels.since,
    )


def _type_of(node: KubernetesNode, cards: Cards, parts: Parts, types: Types) -> GpuType | Unknown:
    product = _product(node, cards, parts.beside)
    if isinstance(product, Unknown):
        return product
    said = f"neither the platform nor the catalogue knows {product}"
    silence = parts.record if isinstance(parts.record, Unknown) else None
    return type_of_product(types, product) or silence or undetermined(System.KUBERNETES, said)


def _product(node: KubernetesNode, cards: Cards, beside: Beside) -> str | Unknown:
    product = node.gpu_labels.product
    if cards.basis is CardsBasis.RESOURCE_SLICES:
        return listed_product(beside)
    if product and (_of_several_models(cards) or other_vendor(node)):
        said = f"the labels name {product}, one of several models on the node"
        return undetermined(System.KUBERNETES, said)
    return product or undetermined(System.KUBERNETES, "no label nvidia.com/gpu.product")


def _of_several_models(cards: Cards) -> bool:
    return cards.basis is CardsBasis.CAPACITY and cards.contradiction is not None


def _type_of_gres(node: SlurmNode, types: Types) -> GpuType | Unknown:
    if node.host:
        return guest(node.host)
    names = sorted({gres.type or "" for gres in node.gres if gres.unit is GpuUnit.CARD})
    if len(names) != 1:
        return undetermined(System.SLURM, f"its GRES names {len(names)} types: {', '.join(names) or 'none'}")
    found = type_of_slurm(types, names[0])
    return found or undetermined(System.SLURM, f"the GRES type {names[0]!r} does not tell one model")


def _sharing(node: KubernetesNode) -> Maybe[GpuSharing]:
    """How cards are shared, in the words of the labels; replicas of 0 stand beside a card under MIG."""
    replicas, strategy = node.gpu_labels.replicas, node.gpu_labels.sharing_strategy
    if isinstance(replicas, Unknown):
        return replicas
    if isinstance(strategy, Unknown):
        return strategy
    if not replicas:
        untold = undetermined(System.KUBERNETES, "no label tells into how many shares a card is cut")
        return untold if is_shared(node) else None
    if strategy is None and replicas > 1:
        return undetermined(System.KUBERNETES, "no label nvidia.com/gpu.sharing-strategy")
    return GpuSharing(strategy=strategy or SharingStrategy.NONE, replicas=replicas)
