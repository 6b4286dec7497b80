"""The next step of a node: a pure function of what is wished and what was read just now."""

from dataclasses import replace
from datetime import datetime, timedelta

from gateway.controllers.node_reconciler import cordon
from gateway.controllers.node_reconciler.checks import AT_WORK, before_anything, before_the_label, hold_of
from gateway.controllers.node_reconciler.drain import drain, give_up, is_over_time
from gateway.controllers.node_reconciler.outcome import MOST_REFUSALS, labelled
from gateway.controllers.node_reconciler.recut import offers, watch
from gateway.controllers.node_reconciler.sight import Aim, Case, Limits, Sight, carried, has_failed
from gateway.controllers.node_reconciler.steps import AddLayout, Cordon, GiveBack, SetLabel, Step
from gateway.fleet.desired import BlockCause, Blocker, NodeObserved, ReconcilePhase
from gateway.fleet.live import HOLD, MIG_CONFIG, MIG_STATE
from gateway.fleet.platform import Target
from gateway.fleet.unknown import Unknown
from gateway.fleet.wish import Progress, Wish

_MOUNTED = timedelta(seconds=120)
"""How long the kubelet may take until a pod reads what was added to its ConfigMap."""


def is_in_work(wish: Wish) -> bool:
    """Whether a layout is wished that was never verified: one that was is never acted on again."""
    desired, observed = wish.desired, wish.observed
    if desired is None or desired.mig_layout is None:
        return False
    return observed is None or observed.layout_converged < desired.layout_generation


def plan(wish: Wish, sight: Sight, limits: Limits, now: datetime) -> Step | None:
    """What is to be claimed now, and what is to be done then; None: nobody asked for anything."""
    desired, node = wish.desired, sight.node
    if desired is None:
        return None
    progress = carried(wish)
    wants = desired.cordoned or is_in_work(wish)
    if node is None:
        said = "there is no such node in Kubernetes"
        return _stuck(BlockCause.NODE_LEAVING, said, Progress()) if wants else _converged(Progress())
    case = Case(wish=wish, desired=desired, progress=progress, node=node, sight=sight, limits=limits, now=now)
    if wish.target is not Target.KUBERNETES and (wants or cordon.due(case)):
        return _elsewhere(case)
    return _as_refused(case, _change(case) if is_in_work(wish) else _rest(case))


def _elsewhere(case: Case) -> Step:
    """Nothing is done to a node that serves another scheduler; a cordon of ours on it stays."""
    serves = "Slurm, which the gateway cannot drain yet" if case.wish.target else "no scheduler now"
    return _stuck(BlockCause.OTHER, f"the node serves {serves}: assign it for KUBERNETES", case.progress)


def _rest(case: Case) -> Step:
    """No layout is in change: the cordon stands as it is wished."""
    act, kept = cordon.due(case), Progress(unverified=case.progress.unverified)
    if case.desired.cordoned and (taken := cordon.taken_away(case)):
        return replace(taken, progress=kept)
    if act is None:
        return _converged(kept if case.desired.cordoned else Progress())
    if HOLD in case.node.annotations:
        return _stuck(BlockCause.HOLD, hold_of(case.node), case.progress)
    if isinstance(act, Cordon):
        return replace(cordon.begin(case), progress=kept)
    state = case.node.labels.get(MIG_STATE)
    if case.progress.unverified and state != "success":
        said = f"the MIG manager says {state or 'nothing'} of {case.node.labels.get(MIG_CONFIG)}"
        return _stuck(BlockCause.MIG_MANAGER, f"{said}: the cordon stays until it succeeds", case.progress)
    said = "the node is given back"
    return Step(phase=ReconcilePhase.UNCORDONING, message=said, progress=case.progress, act=act)


def _change(case: Case) -> Step:
    """A layout is in work."""
    if case.desired.layout_uid != case.node.uid:
        said = "the layout was asked for another machine of this name: ask again for this one"
        return _untouched(replace(case, progress=Progress()), _stuck(BlockCause.OTHER, said, Progress()))
    if case.wish.observed and has_failed(case.wish):
        return _failed(case, case.wish.observed)
    if taken := cordon.taken_away(case):
        began = case.progress.began_at if case.progress.unverified else None
        return replace(taken, progress=replace(case.progress, began_at=began))
    if case.progress.labelled_at:
        return watch(case) or _verified(case)
    if case.progress.gave_up and case.wish.observed:
        return _given_up(case, case.wish.observed)
    return _ready(case)


def _given_up(case: Case, told: NodeObserved) -> Step:
    """It is left alone, and counts as out of service until our cordon is given back."""
    is_back = not isinstance(cordon.due(case), GiveBack)
    progress = replace(case.progress, began_at=None) if is_back else case.progress
    return _untouched(case, _as_told(told, progress))


def _ready(case: Case) -> Step:
    """Ready the node for the label."""
    aim = case.sight.aim
    if is_over_time(case):
        return _untouched(case, give_up(case))
    if not isinstance(aim, Aim):
        said = aim.reason if isinstance(aim, Unknown) else "nothing is wished"
        step = _stuck(BlockCause.OTHER, said, case.progress)
        return step if case.begun else _untouched(case, step)
    if _is_true_already(case, aim):
        return _verified(case)
    layouts = case.sight.layouts
    if aim.text is not None and layouts.is_ours and aim.config not in layouts.names:
        return _added(case, aim.config, aim.text)
    blockers = before_the_label(case, aim)
    if not case.begun:
        blockers += before_anything(case)
    if blockers:
        return _in_the_way(case, blockers)
    return _prepare(_begun(case, aim), aim)


def _added(case: Case, name: str, text: str) -> Step:
    """Give the MIG manager its configuration: that touches no node, and it is not ready without its file."""
    said = f"the MIG manager is given the configuration {name}"
    return Step(
        phase=ReconcilePhase.CORDONING, message=said, progress=case.progress, act=AddLayout(name, text)
    )


def _begun(case: Case, aim: Aim) -> Case:
    """The same, with what the change must remember from its first effect on."""
    progress = replace(
        case.progress,
        began_at=case.progress.began_at or case.now,
        config=aim.config,
        expected=aim.expected,
    )
    return replace(case, progress=progress)


def _prepare(case: Case, aim: Aim) -> Step:
    """Nothing is in the way: the cordon, the drain, the label."""
    if not cordon.is_current(case):
        return cordon.begin(case)
    if case.wish.observed and case.wish.observed.phase is ReconcilePhase.CORDONING:
        said = "no new work comes to the node"
        return Step(phase=ReconcilePhase.DRAINING, message=said, progress=case.progress, twice=True)
    return drain(case) or _label(case, aim)


def _label(case: Case, aim: Aim) -> Step:
    """Set the label, where the MIG manager is not at work on this very one already."""
    node, phase = case.node, ReconcilePhase.APPLYING
    if aim.text is not None and case.tried_for < _MOUNTED:
        said = f"waiting until the MIG manager can read the configuration {aim.config}"
        return Step(phase=ReconcilePhase.DRAINING, message=said, progress=case.progress)
    state = node.labels.get(MIG_STATE)
    if case.progress.unverified and node.labels.get(MIG_CONFIG) == aim.config and state in {None, *AT_WORK}:
        said = "the label is set already"
        return Step(phase=phase, message=said, progress=labelled(case.progress, node, case.now))
    return Step(
        phase=phase,
        message=f"the label {MIG_CONFIG} becomes {aim.config}",
        progress=replace(case.progress, unverified=True),
        act=SetLabel(aim.config),
        twice=True,
    )


def _is_true_already(case: Case, aim: Aim) -> bool:
    labels = case.node.labels
    named = labels.get(MIG_CONFIG) == aim.config and labels.get(MIG_STATE) == "success"
    return named and offers(case.node, aim.expected)


def _verified(case: Case) -> Step:
    """The slices are there; what is left is the cordon."""
    rest = _rest(replace(case, progress=Progress(began_at=case.progress.began_at)))
    return replace(rest, verified=True)


def _in_the_way(case: Case, blockers: tuple[Blocker, ...]) -> Step:
    step = Step(
        phase=ReconcilePhase.BLOCKED,
        message="; ".join(blocker.name for blocker in blockers),
        blockers=blockers,
        progress=case.progress,
    )
    return step if case.begun else _untouched(case, step)


def _untouched(case: Case, step: Step) -> Step:
    """Leave the node as it is wished while nothing can be cut: no cordon of ours stays for nothing."""
    act = cordon.due(case)
    keeps = HOLD in case.node.annotations or (case.progress.unverified and isinstance(act, GiveBack))
    return step if keeps else replace(step, act=act)


def _failed(case: Case, told: NodeObserved) -> Step:
    """It stays as it is, the cordon too, but that one that is wished is made."""
    step, act = _as_told(told, case.progress), cordon.due(case)
    return replace(step, act=act) if isinstance(act, Cordon) else step


def _as_told(told: NodeObserved, progress: Progress) -> Step:
    return Step(phase=told.phase, message=told.message, blockers=told.blockers, progress=progress)


def _as_refused(case: Case, step: Step) -> Step:
    """What was refused often is said to be in the way, though it is tried again."""
    observed = case.wish.observed
    if step.act is None or observed is None or observed.phase is not ReconcilePhase.BLOCKED:
        return step
    if case.progress.refusals.get(step.act.key, 0) < MOST_REFUSALS:
        return step
    return replace(step, phase=ReconcilePhase.BLOCKED, message=observed.message, blockers=observed.blockers)


def _stuck(cause: BlockCause, said: str, progress: Progress) -> Step:
    blocker = Blocker(cause=cause, name=said)
    return Step(phase=ReconcilePhase.BLOCKED, message=said, blockers=(blocker,), progress=progress)


def _converged(progress: Progress) -> Step:
    return Step(phase=ReconcilePhase.CONVERGED, message="as asked", progress=progress)
