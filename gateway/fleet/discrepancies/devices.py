"""Machines whose devices are not what they should be."""

from collections.abc import Iterator

from gateway.fleet.alert import AlertKind, Evidence, Finding, Remedy, RemedyAction
from gateway.fleet.discrepancies.evidence import about, counted, kubernetes, machines
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import MigConfigState, NodeGpus
from gateway.fleet.health_reason import HealthCode, HealthReason
from gateway.fleet.mig import MigSlice
from gateway.fleet.node import KubernetesNode, Node, NodeHealth
from gateway.fleet.unknown import Unknown

_EMPTY = {HealthCode.NO_CAPACITY, HealthCode.DEVICE_PLUGIN_MISSING}
_IN_CHANGE = {HealthCode.MIG_CHANGE, HealthCode.DRIVER_UPGRADE}
_ALL = "all-"


def ready_without_capacity(fleet: Fleet) -> Iterator[Finding]:
    """A machine is Ready and gives no GPU, though it should."""
    for node in machines(fleet):
        part, reasons = node.kubernetes, _reasons(node)
        codes = {reason.code for reason in reasons}
        if (
            isinstance(part, KubernetesNode)
            and part.ready is True
            and _EMPTY & codes
            and not _IN_CHANGE & codes
        ):
            why = next(reason.message for reason in reasons if reason.code in _EMPTY)
            ready = kubernetes(fleet, node.cluster, f"nodes/{node.name} status.conditions[Ready]", "True")
            said = f"{node.name} is Ready, and gives no GPU: {why}"
            evidence = (ready, *_devices(node, part, fleet))
            yield about(
                node, AlertKind.READY_WITHOUT_CAPACITY, said, evidence, [_repair(node, "device plugin")]
            )


def cards_lost(fleet: Fleet) -> Iterator[Finding]:
    """Some of a machine's cards cannot be used."""
    for node in machines(fleet):
        reason = next((one for one in _reasons(node) if one.code is HealthCode.CARDS_LOST), None)
        if reason and isinstance(node.kubernetes, KubernetesNode):
            evidence = _devices(node, node.kubernetes, fleet)
            said = f"{node.name}: {reason.message}"
            yield about(node, AlertKind.CARDS_LOST, said, tuple(evidence), [_repair(node, "cards")])


def profile_drift(fleet: Fleet) -> Iterator[Finding]:
    """The MIG manager says that it cut all cards into one profile, and the slices are others."""
    return (found for node in machines(fleet) if (found := drift_of(node, fleet)))


def drift_of(node: Node, fleet: Fleet) -> Finding | None:
    """Say where slices are others than the applied layout; None: they are not, or it is not known."""
    gpus, part = node.gpus, node.kubernetes
    if not isinstance(gpus, NodeGpus) or not isinstance(part, KubernetesNode) or _IN_CHANGE & _codes(node):
        return None
    wished, slices = _wished(gpus), node.mig_slices
    if wished is None or not isinstance(slices, tuple) or _is_cut_so(slices, wished, gpus):
        return None
    label = f"nodes/{node.name} metadata.labels[nvidia.com/mig.config]"
    config = kubernetes(fleet, node.cluster, label, gpus.mig_config)
    said = f"{node.name} was cut as {gpus.mig_config}, says the MIG manager; it offers {_written(slices)}"
    remedy = Remedy(
        action=RemedyAction.CHANGE_MIG_LAYOUT, text=f"apply {gpus.mig_config} again", subject=node.id
    )
    evidence = (config, *_devices(node, part, fleet))
    return about(node, AlertKind.PROFILE_DRIFT, said, evidence, [remedy])


def _wished(gpus: NodeGpus) -> str | None:
    """The one profile of a layout whose name says it; empty: no card is cut. None: the name does not say."""
    config = gpus.mig_config
    if gpus.mig_config_state is not MigConfigState.SUCCESS or not isinstance(config, str):
        return None
    if config == "all-disabled":
        return ""
    profile = config.removeprefix(_ALL)
    return profile if config.startswith(_ALL) and "g." in profile else None


def _is_cut_so(slices: tuple[MigSlice, ...], wished: str, gpus: NodeGpus) -> bool:
    if {group.profile.name for group in slices} != ({wished} if wished else set()):
        return False
    return all(_are_all(group, gpus) for group in slices)


def _are_all(group: MigSlice, gpus: NodeGpus) -> bool:
    """Whether every card gives its most of them, where all of that is known."""
    most = group.profile.max_per_card
    if isinstance(gpus.cards, Unknown) or isinstance(group.slices, Unknown) or most is None:
        return True
    return group.slices == gpus.cards * most


def _written(slices: tuple[MigSlice, ...]) -> str:
    counts = (
        f"{'?' if isinstance(group.slices, Unknown) else group.slices} x {group.profile.name}"
        for group in slices
    )
    return ", ".join(counts) or "no slices"


def _codes(node: Node) -> set[HealthCode]:
    return {reason.code for reason in _reasons(node)}


def _reasons(node: Node) -> tuple[HealthReason, ...]:
    return node.health.reasons if isinstance(node.health, NodeHealth) else ()


def _devices(node: Node, part: KubernetesNode, fleet: Fleet) -> Iterator[Evidence]:
    """What it offers of each GPU resource, and what its labels count."""
    at = f"nodes/{node.name}"
    for one in part.resources:
        amount = one.allocatable
        said = None if amount is None or isinstance(amount, Unknown) else amount.text
        yield kubernetes(fleet, node.cluster, f"{at} status.allocatable[{one.name}]", said)
    if "nvidia.com/gpu.count" in part.labels:
        label = part.labels["nvidia.com/gpu.count"]
        yield kubernetes(fleet, node.cluster, f"{at} metadata.labels[nvidia.com/gpu.count]", label)


def _repair(node: Node, what: str) -> Remedy:
    cards = node.health.expected_cards if isinstance(node.health, NodeHealth) else None
    expected = f" until {counted(cards, 'card')} are allocatable" if isinstance(cards, int) else ""
    return Remedy(
        action=RemedyAction.REPAIR_NODE,
        text=f"look after the {what} of {node.name}{expected}",
        subject=node.id,
    )
