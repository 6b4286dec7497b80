"""LABELS: whether what gpu-feature-discovery wrote is there, kept up, and not contradicted."""

from collections.abc import Iterator

from gateway.fleet.catalogue import type_of_product, type_of_slurm
from gateway.fleet.diagnosis.chain.link import Link, doubtful, passed, untold
from gateway.fleet.diagnosis.chain.troubled import command, state_of
from gateway.fleet.diagnosis.chain.vendor import NVIDIA
from gateway.fleet.diagnosis.chain.view import GKE, ChainView
from gateway.fleet.gpu import GpuType, NodeGpus
from gateway.fleet.health_reason import HealthCode
from gateway.fleet.leftover import LEFT_OVER
from gateway.fleet.node import NodeHealth
from gateway.fleet.operand import Operand
from gateway.fleet.operand_pods import troubles
from gateway.fleet.unknown import Unknown

_PRODUCT, _COUNT = "nvidia.com/gpu.product", "nvidia.com/gpu.count"
_DISCOVERED = ("nvidia.com/", "amd.com/", "feature.node.kubernetes.io/")


def labels(view: ChainView) -> Link | None:
    """Judge the labels of the cards; where devices are claimed, none are needed."""
    told = view.part.gpu_labels
    if view.vendor is not NVIDIA or (told.product is None and not view.part.resources):
        return None
    see, evidence = f"get node {view.name} --show-labels", view.labelled(_PRODUCT, _COUNT)
    if told.product is None and view.label(GKE):
        return passed(f"{view.name} is labelled by its node pool", see, *view.labelled(GKE))
    if told.product is None or told.count is None:
        said = f"{view.name} has no labels of gpu-feature-discovery: work that asks for them passes it by"
        return doubtful(said, see, evidence, view.repair("run gpu-feature-discovery on it"))
    if unread := [count for count in (told.count, told.replicas) if isinstance(count, Unknown)]:
        return untold(unread[0], see, *evidence)
    return (
        _stale(view)
        or _contradicted(view)
        or passed(f"the labels of {view.name} are kept up", see, *evidence)
    )


def _stale(view: ChainView) -> Link | None:
    pods = view.pods(Operand.FEATURE_DISCOVERY)
    if isinstance(pods, Unknown):
        return untold(pods, view.its_pods)
    found = next(troubles(pods), None)
    if found is None and not view.node.beside.labels_left:
        return None
    said = f"{found.pod.name} {found.said}" if found else LEFT_OVER
    see = command(found) if found else view.its_pods
    evidence = (
        *view.labelled(_PRODUCT, "nvidia.com/gfd.timestamp"),
        *(state_of(view, found) if found else ()),
    )
    remedy = view.repair(f"run gpu-feature-discovery on {view.name}: it labels again each minute")
    return doubtful(f"the labels of {view.name} may be old: {said}", see, evidence, remedy)


def _contradicted(view: ChainView) -> Link | None:
    see, health = f"get node {view.name} --show-labels", view.node.health
    reasons = health.reasons if isinstance(health, NodeHealth) else ()
    found = next((one for one in reasons if one.code is HealthCode.LABELS_CONTRADICT), None)
    if found:
        evidence = (*view.labelled(_PRODUCT, _COUNT, "nvidia.com/gpu.replicas"), *view.offered("capacity"))
        remedy = view.repair("look which models the machine has, and how the device plugin shares them")
        return doubtful(f"the labels of {view.name} do not agree: {found.message}", see, evidence, remedy)
    for key, kind in _by_hand(view):
        said = f"the label {key}={view.label(key)} of {view.name} says {kind.name}, and its cards are others"
        text = f"take the label away, or put it right: kubectl label node {view.name} {key}-"
        return doubtful(said, see, view.labelled(key, _PRODUCT), view.repair(text))
    return None


def _by_hand(view: ChainView) -> Iterator[tuple[str, GpuType]]:
    """Labels of others that name another model."""
    gpus, types = view.node.gpus, view.fleet.gpu_types
    own = gpus.type if isinstance(gpus, NodeGpus) else None
    if not isinstance(own, GpuType):
        return
    for key, value in sorted(view.part.labels.items()):
        if not key.startswith(_DISCOVERED):
            named = types.get(value) or type_of_product(types, value) or type_of_slurm(types, value)
            if named is not None and named.name != own.name:
                yield key, named
