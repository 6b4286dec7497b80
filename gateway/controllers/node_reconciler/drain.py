"""Frees a cordoned node of the work that was acknowledged, one call at a time, and for a limited time."""

from dataclasses import replace

from gateway.controllers.node_reconciler.checks import holding, left_over
from gateway.controllers.node_reconciler.sight import Case
from gateway.controllers.node_reconciler.steps import Evict, Step
from gateway.fleet.desired import ReconcilePhase
from gateway.fleet.live import HOLD


def drain(case: Case) -> Step | None:
    """The next eviction, or waiting for those that were asked for; None: no pod holds a GPU."""
    held = holding(case)
    if not held:
        return None
    refusals = case.progress.refusals
    due = sorted(
        (pod for pod in held if not pod.terminating),
        key=lambda pod: (refusals.get(Evict(pod).key, 0), pod.namespace, pod.name),
    )
    names = ", ".join(f"{pod.namespace}/{pod.name}" for pod in held)
    return Step(
        phase=ReconcilePhase.DRAINING,
        message=f"waiting for what holds GPUs to end: {names}",
        progress=case.progress,
        act=Evict(due[0]) if due else None,
    )


def is_over_time(case: Case) -> bool:
    """Whether the node was out of service for long enough; what is held, or may be cut already, stays so."""
    may_end = case.begun and not case.progress.unverified and HOLD not in case.node.annotations
    return may_end and case.tried_for > case.limits.drain_timeout


def give_up(case: Case) -> Step:
    """Stop trying until somebody asks again, and name what is in the way."""
    observed = case.wish.observed
    blockers = left_over(case) or (observed.blockers if observed else ())
    named = "; ".join(blocker.name for blocker in blockers) or "it could not be readied"
    minutes = round(case.limits.drain_timeout.total_seconds() / 60)
    return Step(
        phase=ReconcilePhase.BLOCKED,
        message=f"given up after {minutes} minutes, ask again to try again: {named}",
        blockers=blockers,
        progress=replace(case.progress, gave_up=True),
    )
