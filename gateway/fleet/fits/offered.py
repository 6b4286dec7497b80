"""By which resource a machine would be asked, or why it is not one of those that are meant."""

from collections.abc import Iterable

from gateway.errors import System
from gateway.fleet.fits.ask import Ask
from gateway.fleet.gpu import CardsBasis, ExtendedResource, GpuType, NodeGpus
from gateway.fleet.mig import MIG_PREFIX, MigProfile, MigSlice
from gateway.fleet.node import Node
from gateway.fleet.platform import NodeRecord, Target
from gateway.fleet.reasons.reason import PendingCode, PendingPart
from gateway.fleet.scheduling.view import Judgement, Refusal
from gateway.fleet.sharing import GPU
from gateway.fleet.sums import first_unknown
from gateway.fleet.unit import GpuUnit
from gateway.fleet.unknown import Unknown, undetermined


def meant(node: Node, ask: Ask) -> Judgement:
    """Whether Kubernetes serves a machine, and whether its cards are of the type."""
    if node.kubernetes is None:
        return _refused(PendingCode.NODE_AFFINITY, "Kubernetes does not know this machine")
    if isinstance(node.record, NodeRecord) and node.record.target is Target.SLURM:
        return _refused(PendingCode.NODE_AFFINITY, "it serves Slurm")
    kind = _of_type(node, ask.gpu_type)
    if isinstance(kind, Refusal):
        return kind
    return first_unknown(node.kubernetes, node.record, kind)


def offered(node: Node, ask: Ask) -> str | Refusal | Unknown:
    """The resource that counts what is asked for on this machine."""
    gpus = node.gpus
    if isinstance(gpus, NodeGpus) and gpus.cards_basis is CardsBasis.RESOURCE_SLICES:
        said = f"the devices of {node.name} are claimed and not requested: claims are not judged"
        return undetermined(System.KUBERNETES, said)
    resources = gpus.resources if isinstance(gpus, NodeGpus) else gpus
    if isinstance(resources, Unknown):
        return resources
    if ask.profile is None:
        return _of_cards(resources or ())
    groups = node.mig_slices
    return groups if isinstance(groups, Unknown) else _of_slices(groups or (), ask.profile)


def _of_type(node: Node, kind: GpuType | None) -> Judgement:
    gpus = node.gpus
    if gpus is None:
        return _refused(PendingCode.NODE_AFFINITY, "it has no GPUs")
    found = gpus.type if isinstance(gpus, NodeGpus) else gpus
    if kind is None:
        return None
    if isinstance(found, Unknown):
        return found
    if found and found.name == kind.name:
        return None
    other = found.name if found else "of another model"
    return _refused(PendingCode.NODE_AFFINITY, f"its cards are {other}, and {kind.name} are asked for")


def _of_cards(resources: Iterable[ExtendedResource]) -> str | Refusal | Unknown:
    """What counts whole cards; nothing of that kind is asked for as everywhere, and not to be had."""
    there = [one for one in resources if one.capacity != 0]
    cards = next((one.name for one in there if one.unit is GpuUnit.CARD), None)
    if cards:
        return cards
    for one in there:
        if one.unit is None:
            return undetermined(System.KUBERNETES, f"no label tells what {one.name} counts here")
        if one.name == GPU:
            said = f"{GPU} counts {_WORDS[one.unit]} here and not cards"
            return _refused(PendingCode.INSUFFICIENT_RESOURCE, said, GPU)
    return GPU


def _of_slices(groups: Iterable[MigSlice], profile: MigProfile) -> str | Refusal:
    own = [group for group in groups if group.profile.name == profile.name]
    if not own:
        return MIG_PREFIX + profile.name.replace("+", ".")
    slices = next((group.resource_name for group in own if group.unit is GpuUnit.SLICE), None)
    said = f"{own[0].resource_name} counts shares of slices here and not slices"
    return slices or _refused(PendingCode.INSUFFICIENT_RESOURCE, said, own[0].resource_name)


def _refused(code: PendingCode, text: str, resource: str | None = None) -> Refusal:
    part = PendingPart(nodes=1, code=code, resource=resource, text=text)
    return Refusal(reasons=(part,), resolvable=False)


_WORDS = {
    GpuUnit.SHARE: "shares",
    GpuUnit.SLICE: "slices",
    GpuUnit.CORE: "cores",
    GpuUnit.MEMORY: "memory",
}
