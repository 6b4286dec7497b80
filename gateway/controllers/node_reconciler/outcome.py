"""What is to be claimed once the server answered an effect."""

from dataclasses import dataclass, replace
from datetime import datetime

from gateway.controllers.node_reconciler.checks import refusal_cause
from gateway.controllers.node_reconciler.steps import (
    Act,
    AddLayout,
    Evict,
    Nudge,
    RestartPlugin,
    SetLabel,
    Step,
)
from gateway.fleet.desired import BlockCause, Blocker, ReconcilePhase
from gateway.fleet.live import Effect, EffectResult, LiveNode
from gateway.fleet.wish import Progress

MOST_REFUSALS = 3
"""What is refused so often in a row is said to be in the way."""
_NO_REFUSAL = frozenset({Effect.DONE, Effect.GONE, Effect.MOVED, Effect.LATER})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What the server said to an effect."""

    act: Act
    result: EffectResult
    node: LiveNode
    """As it was read before."""
    at: datetime


def outcome(step: Step, answered: Answered, was: Progress) -> Step:
    """The same step once its effect was answered; it has none any more."""
    act, effect, progress = answered.act, answered.result.effect, step.progress
    if isinstance(act, SetLabel):
        is_set = effect is Effect.DONE
        unset = replace(progress, unverified=was.unverified)
        progress = labelled(progress, answered.node, answered.at) if is_set else unset
    elif effect in {Effect.DONE, Effect.GONE}:
        progress = _done(act, progress, answered.at)
    told = replace(step, act=None, progress=progress)
    if effect not in _NO_REFUSAL:
        return _refused(told, act, answered.result)
    others = {key: count for key, count in progress.refusals.items() if key != act.key}
    return replace(told, progress=replace(progress, refusals=others))


def unanswered(step: Step, act: Act) -> Step:
    """The same step once no answer came: counted as a refusal is, and what it may have done stays so."""
    return replace(step, act=None, progress=_counted(step.progress, act))


def labelled(progress: Progress, node: LiveNode, now: datetime) -> Progress:
    """The progress once the label is known to be set: only what the manager says from now on counts."""
    return replace(progress, labelled_at=now, boot_id=node.boot_id)


def _done(act: Act, progress: Progress, at: datetime) -> Progress:
    if isinstance(act, AddLayout) and progress.began_at:
        return replace(progress, began_at=at)  # the label waits until it can be read
    if isinstance(act, Nudge):
        return replace(progress, nudged=True)
    return replace(progress, restarted=True) if isinstance(act, RestartPlugin) else progress


def _refused(step: Step, act: Act, result: EffectResult) -> Step:
    """Count it; what repeats is in the way, in the server's words."""
    told = replace(step, message=result.message, progress=_counted(step.progress, act))
    if result.effect is not Effect.CONFLICT and told.progress.refusals[act.key] < MOST_REFUSALS:
        return told
    return replace(told, phase=ReconcilePhase.BLOCKED, blockers=(_blocker(act, result),))


def _counted(progress: Progress, act: Act) -> Progress:
    count = min(progress.refusals.get(act.key, 0) + 1, MOST_REFUSALS)
    return replace(progress, refusals={**progress.refusals, act.key: count})


def _blocker(act: Act, result: EffectResult) -> Blocker:
    if result.effect is Effect.CONFLICT:
        return Blocker(cause=BlockCause.FIELD_MANAGER, name=result.message)
    cause = refusal_cause(result.effect, result.message)
    if not isinstance(act, Evict):
        return Blocker(cause=cause, name=result.message)
    named = f"{act.pod.namespace}/{act.pod.name}: {result.message}"
    return Blocker(cause=cause, name=named, workload_id=act.pod.id)
