"""One node out of what each system says of it."""

from collections.abc import Iterator, Mapping

from gateway.errors import System
from gateway.fleet.claimed import devices_beside, is_claimed
from gateway.fleet.devices import (
    NO_DEVICES,
    Devices,
    kubernetes_devices,
    requested_anew,
    silent_devices,
    slurm_devices,
)
from gateway.fleet.gpu import GpuType
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.operand_pods import crash_of
from gateway.fleet.parts import Parts
from gateway.fleet.platform import NodeRecord
from gateway.fleet.slurm import SlurmNode
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown


def join(parts: Parts, types: Mapping[str, GpuType], before: Node | None = None) -> Node | None:
    """Join the parts of one machine; None where no system knows it.

    Where only its work is other than before, and the types are the same, its devices need not be told anew:
    of pods, they hang on those alone that serve them.
    """
    known_to = tuple(_known_to(parts))
    if not known_to:
        return None
    if before is not None and _differs_in_work_only(before, parts):
        told = Devices(gpus=before.gpus, slices=before.mig_slices, health=before.health)
        devices = requested_anew(told, parts.pods)
    else:
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
        beside=parts.beside,
        is_gpu_node=_is_gpu_node(parts),
        gpus=devices.gpus,
        mig_slices=devices.slices,
        health=devices.health,
        busy=_busy(parts),
    )


def _differs_in_work_only(before: Node, parts: Parts) -> bool:
    return (
        before.beside == parts.beside
        and before.kubernetes is parts.kubernetes
        and before.record is parts.record
        and before.slurm is parts.slurm
        and crash_of(before.pods) == crash_of(parts.pods)
    )


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
        node.gpu_labels.is_gpu_machine or bool(node.resources) or devices_beside(parts.beside) is not None
    )
    by_slurm = isinstance(slurm, SlurmNode) and bool(slurm.gres)
    return by_kubernetes or by_slurm or isinstance(parts.record, NodeRecord)


def _busy(parts: Parts) -> bool | Unknown:
    pods, jobs = parts.pods, parts.jobs
    if not isinstance(pods, Unknown) and any(pod.holds_gpus for pod in pods):
        return True
    if not isinstance(jobs, Unknown) and any(job.holds_nodes for job in jobs):
        return True
    claimed = is_claimed(parts.beside)
    return claimed or first_unknown(pods, jobs) or False


def _devices(parts: Parts, types: Mapping[str, GpuType]) -> Devices:
    node, slurm = parts.kubernetes, parts.slurm
    if isinstance(node, KubernetesNode):
        if not _is_gpu_node(parts):
            return NO_DEVICES
        return kubernetes_devices(node, parts, types)
    if isinstance(slurm, SlurmNode) and node is None:
        return slurm_devices(slurm, types)
    return silent_devices(first_unknown(node), first_unknown(slurm))
