"""What was asked of a machine against what became of it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from gateway.fleet.alert import AlertKind, Finding, Remedy, RemedyAction, Severity
from gateway.fleet.desired import RESTING, NodeDesired, NodeObserved, ReconcilePhase
from gateway.fleet.discrepancies.evidence import about, kubernetes, machines, platform, record_path
from gateway.fleet.fleet import Fleet
from gateway.fleet.gpu import NodeGpus
from gateway.fleet.live import CORDON_OWNER
from gateway.fleet.node import KubernetesNode, Node
from gateway.fleet.placement.node import CardFacts, card_facts
from gateway.fleet.placement.offer import Offer, expected_resources, is_reached
from gateway.fleet.platform import NodeRecord
from gateway.fleet.unknown import Unknown

_SOON = timedelta(minutes=5)
"""What is in the way for less than this passes by itself."""
_SLOW = timedelta(hours=1)
"""No step of a change takes so long."""


def stuck_changes(fleet: Fleet) -> Iterator[Finding]:
    """Something was asked of a machine, and it does not come about."""
    for node in machines(fleet):
        record = node.record
        if not isinstance(record, NodeRecord) or isinstance(record.observed, Unknown):
            continue
        if isinstance(record.desired, NodeDesired):
            yield from _stuck(node, record.desired, record.observed, fleet)


def _stuck(
    node: Node, desired: NodeDesired, observed: NodeObserved | None, fleet: Fleet
) -> Iterator[Finding]:
    said = _why_stuck(desired, observed, fleet.now)
    if said is None:
        return
    asked = platform(fleet, record_path(node, "desired_generation"), desired.generation)
    phase = platform(fleet, record_path(node, "observed_phase"), observed.phase.value if observed else None)
    remedy = Remedy(action=RemedyAction.OTHER, text=_way_out(desired, observed), subject=node.id)
    found = about(node, AlertKind.RECONCILE_STUCK, f"{node.name} {said}", (asked, phase), [remedy])
    has_failed = observed is not None and observed.phase is ReconcilePhase.FAILED
    yield found if has_failed else replace(found, lasts=_SOON)


def _why_stuck(desired: NodeDesired, observed: NodeObserved | None, now: datetime) -> str | None:
    """What is to be said of it, where it is stuck at this moment."""
    if observed is None or observed.generation != desired.generation:
        return f"was asked for generation {desired.generation}, and nobody has taken it up"
    if observed.phase in {ReconcilePhase.BLOCKED, ReconcilePhase.FAILED}:
        return f"is {observed.phase.value}: {observed.message}"
    if observed.phase not in RESTING and now - observed.changed_at > _SLOW:
        return f"has been {observed.phase.value} for more than an hour: {observed.message}"
    return None


def _way_out(desired: NodeDesired, observed: NodeObserved | None) -> str:
    if observed is None or observed.generation != desired.generation:
        return "see whether gpu-gateway controllers runs, and whether it is paused"
    if observed.blockers:
        named = "; ".join(blocker.name for blocker in observed.blockers)
        return f"remove what is in the way ({named}), ask again, or withdraw what was asked"
    return "ask again, or withdraw what was asked"


def foreign_cordons(fleet: Fleet) -> Iterator[Finding]:
    """A machine on record is kept from new work, and nobody asked the gateway for it."""
    for node in machines(fleet):
        part, record = node.kubernetes, node.record
        if not isinstance(part, KubernetesNode) or not isinstance(record, NodeRecord):
            continue
        if part.cordoned and not _is_wished(record):
            yield _foreign(node, part, fleet)


def _is_wished(record: NodeRecord) -> bool:
    """Whether a cordon is asked for, or a change may hold one."""
    desired, observed = record.desired, record.observed
    if desired is None:
        return False
    has_settled = isinstance(observed, NodeObserved) and observed.converged
    return isinstance(desired, Unknown) or desired.cordoned or not has_settled


def _foreign(node: Node, part: KubernetesNode, fleet: Fleet) -> Finding:
    who = part.cordoned_by if isinstance(part.cordoned_by, str) else None
    told = kubernetes(fleet, node.cluster, f"nodes/{node.name} spec.unschedulable", who or "true")
    asked = platform(fleet, record_path(node, "desired_cordoned"), value="false")
    text = f"uncordon it when it is ready: kubectl uncordon {node.name}"
    remedy = Remedy(action=RemedyAction.UNCORDON, text=text, subject=node.id)
    said = f"{node.name} was cordoned by {who or 'somebody'}, and nobody asked the gateway for it"
    if who == CORDON_OWNER:
        said = f"{node.name} has a cordon of the gateway that nobody asks for any more"
    found = about(node, AlertKind.FOREIGN_CORDON, said, (told, asked), [remedy])
    severity = Severity.WARNING if who == CORDON_OWNER else Severity.INFO
    return replace(found, severity=severity, lasts=_SOON if who == CORDON_OWNER else timedelta(0))


def wished_slices_gone(fleet: Fleet) -> Iterator[Finding]:
    """A layout was asked for, made and verified, and by now the machine offers something else."""
    for node in machines(fleet):
        record, part = node.record, node.kubernetes
        if not isinstance(record, NodeRecord) or not isinstance(part, KubernetesNode):
            continue
        expected = _verified(node, record)
        if expected and not is_reached(expected, _allocatable(node), part.labels):
            yield _drift(node, expected, fleet)


def _verified(node: Node, record: NodeRecord) -> Offer | None:
    """What a machine offered once; None where no layout was asked for, or none was reached."""
    desired, observed = record.desired, record.observed
    if not isinstance(desired, NodeDesired) or not isinstance(observed, NodeObserved):
        return None
    if desired.mig_layout is None or not observed.converged:
        return None
    facts = card_facts(node)
    found = expected_resources(desired.mig_layout, facts) if isinstance(facts, CardFacts) else None
    return found if isinstance(found, Offer) else None


def _allocatable(node: Node) -> dict[str, int]:
    resources = node.gpus.resources if isinstance(node.gpus, NodeGpus) else ()
    told = resources if isinstance(resources, tuple) else ()
    return {one.name: one.allocatable for one in told if isinstance(one.allocatable, int)}


def _drift(node: Node, expected: Offer, fleet: Fleet) -> Finding:
    asked = platform(fleet, record_path(node, "desired_layout"), _written(expected.resources))
    at = f"nodes/{node.name} status.allocatable"
    offered = _written(_allocatable(node))
    found = kubernetes(fleet, node.cluster, at, offered)
    said = f"{node.name} was verified to offer {_written(expected.resources)}; by now it offers {offered}"
    text = "look after its cards; nothing is drained for it. To cut them again, ask for the layout again"
    remedy = Remedy(action=RemedyAction.REPAIR_NODE, text=text, subject=node.id)
    return replace(
        about(node, AlertKind.PROFILE_DRIFT, said, (asked, found), [remedy]), detail="desired", lasts=_SOON
    )


def _written(counts: Mapping[str, int]) -> str:
    named = (
        f"{count} x {name.removeprefix('nvidia.com/')}" for name, count in sorted(counts.items()) if count
    )
    return ", ".join(named) or "nothing"
