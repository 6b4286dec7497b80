"""What is asked of a machine, how far it is, and its reported health, for tests."""

from datetime import datetime

from gateway.fleet.desired import Blocker, MigLayout, NodeDesired, NodeObserved, ReconcilePhase
from gateway.fleet.health_reason import HealthCode, HealthReason, ReportedHealth
from tests.builders import NOON


def a_desired(generation: int = 1, layout: MigLayout | None = None, *, cordoned: bool = False) -> NodeDesired:
    """What is asked of a machine; without more, nothing but that somebody asked."""
    return NodeDesired(
        cordoned=cordoned,
        cordon_reason="a fan is loud" if cordoned else None,
        mig_layout=layout,
        generation=generation,
        layout_generation=generation if layout else 0,
        layout_uid=None,
        acknowledged=frozenset(),
        changed_at=NOON,
        changed_by="ada",
    )


def an_observed(
    phase: ReconcilePhase = ReconcilePhase.CONVERGED, generation: int = 1, *blockers: Blocker
) -> NodeObserved:
    """How far that is; without more, it is done."""
    return NodeObserved(
        phase=phase,
        generation=generation,
        layout_converged=0,
        converged=phase is ReconcilePhase.CONVERGED,
        message="as it was said",
        blockers=blockers,
        changed_at=NOON,
    )


def a_health_report(checked_at: datetime = NOON) -> ReportedHealth:
    """What the health monitor wrote down: a machine that is not well."""
    reason = HealthReason(code=HealthCode.CARDS_LOST, message="7 of 8 cards", since=NOON)
    return ReportedHealth(healthy=False, reasons=(reason,), checked_at=checked_at)
