"""What a node's cards are, as far as it decides which layouts it can have."""

from dataclasses import dataclass, replace

from gateway.errors import System
from gateway.fleet.catalogue import CATALOGUE
from gateway.fleet.gpu import CardsBasis, GpuType, MigStrategy, NodeGpus
from gateway.fleet.layouts import LayoutFile
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.sharing import is_shared, is_split
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown, undetermined

_CAPABLE = "nvidia.com/mig.capable"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFacts:
    """What decides which layouts a node can have."""

    kind: GpuType
    """Without profiles: its cards cannot be cut."""
    cards: int
    strategy: MigStrategy
    files: tuple[LayoutFile, ...] | Unknown = ()
    """What the cluster's MIG managers are configured with; none: what they come with."""


def card_facts(node: Node) -> CardFacts | Unknown:
    """What a node's cards are; unknown where a layout for it cannot be judged."""
    part, gpus = node.kubernetes, node.gpus
    if not isinstance(part, KubernetesNode) or not isinstance(gpus, NodeGpus):
        return first_unknown(part, gpus) or _untold(f"Kubernetes knows of no GPUs of {node.name}")
    unlike = _offered_otherwise(part, gpus)
    if unlike:
        return _untold(f"{node.name} {unlike}")
    kind, cards, strategy = gpus.type, gpus.cards, gpus.mig_strategy
    if isinstance(kind, GpuType) and isinstance(cards, int) and not isinstance(strategy, Unknown):
        cuttable = _cuttable(part, kind)
        if isinstance(cuttable, Unknown):
            return cuttable
        plugin = strategy or MigStrategy.NONE
        return CardFacts(kind=cuttable, cards=cards, strategy=plugin, files=node.beside.layouts)
    return first_unknown(cards, kind, strategy) or _untold(f"nothing tells what the cards of {node.name} are")


def _offered_otherwise(part: KubernetesNode, gpus: NodeGpus) -> str | None:
    """Why slices cannot be counted by what the node has allocatable, as a layout is verified."""
    replicas = part.gpu_labels.profile_replicas
    if gpus.cards_basis is CardsBasis.RESOURCE_SLICES:
        return "offers its cards by ResourceSlices: what is allocatable there does not tell its slices"
    if is_split(part):
        return "splits its cards into virtual GPUs"
    shared = is_shared(part) or any(isinstance(one, int) and one > 1 for one in replicas.values())
    return "shares its cards: what is allocatable there counts shares" if shared else None


def _cuttable(part: KubernetesNode, kind: GpuType) -> GpuType | Unknown:
    """The type with the profiles that these cards can be cut into."""
    capable = part.labels.get(_CAPABLE)
    if capable == "false":
        return replace(kind, mig_profiles=())
    if not kind.mig_profiles and (capable == "true" or kind.name not in CATALOGUE):
        return _untold(f"how a {kind.name} can be cut is not known")
    return kind


def _untold(reason: str) -> Unknown:
    return undetermined(System.KUBERNETES, reason)
