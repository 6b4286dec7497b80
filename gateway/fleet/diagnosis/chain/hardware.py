"""HARDWARE: whether node-feature-discovery sees the cards on the PCI bus."""

from gateway.fleet.diagnosis.chain.link import Link, broken, doubtful, passed, untold
from gateway.fleet.diagnosis.chain.view import GKE, ChainView
from gateway.fleet.discrepancies.evidence import counted, platform, record_path
from gateway.fleet.gpu import NodeGpus
from gateway.fleet.platform import NodeRecord

_DISCOVERED = "feature.node.kubernetes.io/"
_PRESENT = "gpu.present"
_COUNT = "nvidia.com/gpu.count"


def hardware(view: ChainView) -> Link:
    """Judge what is on the bus: fewer cards than the platform's record claims are a doubt."""
    return _fewer_than_claimed(view) or _on_the_bus(view)


def _fewer_than_claimed(view: ChainView) -> Link | None:
    record, gpus = view.node.record, view.node.gpus
    claimed = record.claimed_cards if isinstance(record, NodeRecord) else None
    cards = gpus.cards if isinstance(gpus, NodeGpus) else None
    if claimed is None or not isinstance(cards, int) or cards >= claimed:
        return None
    said = f"the record of {view.name} claims {counted(claimed, 'card')}, and {cards} can be seen"
    claim = platform(view.fleet, record_path(view.node, "claimed_cards"), claimed)
    remedy = view.repair(f"count them on {view.name} with lspci: some are missing, or the record is wrong")
    return doubtful(said, view.columns(_COUNT), (claim, *view.labelled(_COUNT)), remedy)


def _on_the_bus(view: ChainView) -> Link:
    """Read the only labels that tell of it while all else is down."""
    vendor = view.vendor
    seen = sorted(
        key for key, value in view.part.labels.items() if vendor.pci.fullmatch(key) and value == "true"
    )
    usual = f"{_DISCOVERED}pci-10de.present" if vendor.name == "NVIDIA" else f"{_DISCOVERED}pci-*.present"
    see = f"get node {view.name} --show-labels"
    if seen:
        said = f"node-feature-discovery sees a card of {vendor.name} on the PCI bus of {view.name}"
        return passed(said, view.columns(seen[0]), *view.labelled(seen[0]))
    if view.serves:
        return passed(f"{view.name} gives GPUs, so the cards are there", see, *view.offered())
    if not _looked(view):
        told = [key for key in (vendor.prefix + _PRESENT, GKE) if view.label(key) not in {None, "false"}]
        if told:
            return passed(f"{view.name} is labelled as a machine with GPUs", see, *view.labelled(*told))
        said = f"no label of node-feature-discovery tells what is on the PCI bus of {view.name}"
        return untold(said, see, *view.labelled(usual))
    said = f"node-feature-discovery runs on {view.name}, and sees no card of {vendor.name} on its PCI bus"
    remedy = view.repair(f"look on {view.name} with lspci whether its cards are there and powered")
    return broken(said, see, view.labelled(usual), remedy)


def _looked(view: ChainView) -> bool:
    return any(key.startswith(_DISCOVERED) for key in view.part.labels)
