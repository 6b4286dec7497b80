"""From the label on: waits for what the MIG manager says of it, and for the slices themselves."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from gateway.controllers.node_reconciler.checks import AT_WORK, taken_by_others
from gateway.controllers.node_reconciler.cordon import begin, is_current
from gateway.controllers.node_reconciler.sight import Case
from gateway.controllers.node_reconciler.steps import Nudge, RestartPlugin, Step
from gateway.fleet.desired import BlockCause, Blocker, ReconcilePhase
from gateway.fleet.live import MIG_CONFIG, MIG_STATE, LiveNode, LivePod
from gateway.fleet.placement.offer import Offer, is_reached

_SILENT = timedelta(minutes=1)
"""A MIG manager that heard of a label says something of it within seconds."""
_AT_WORK = timedelta(minutes=30)
"""It waits five minutes for each of up to five programs to let go of the cards, and may reboot the node."""
_SERVED = timedelta(minutes=5)
"""How long slices may take to be offered after the MIG manager's success."""


def watch(case: Case) -> Step | None:
    """The next step once the label is set; None: the wished slices are there."""
    label, owners = case.node.labels.get(MIG_CONFIG), case.node.label_owners
    if taken := tuple(taken_by_others(case.node)):
        return _blocked(case, *taken)
    if label != case.progress.config:
        who = ", ".join(owners) or "somebody"
        did = f"set the label {MIG_CONFIG} to {label}" if label else f"took the label {MIG_CONFIG} away"
        said = f"{who} {did} meanwhile"
        return _blocked(case, Blocker(cause=BlockCause.FIELD_MANAGER, name=said))
    if not is_current(case):
        return replace(begin(case), phase=ReconcilePhase.APPLYING)
    match case.node.labels.get(MIG_STATE):
        case "success":
            return _verify(case)
        case "failed":
            return _failed(case, f"the MIG manager says failed of {label}: its log on this node says why")
        case state:
            return _wait(case, state)


def offers(node: LiveNode, expected: Offer) -> bool:
    """Whether a node is up, and exactly these slices and whole cards are allocatable."""
    return node.ready and is_reached(expected, node.gpu_allocatable, node.labels)


def _wait(case: Case, state: str | None) -> Step:
    """Wait for the MIG manager: it passes over a label whose value it knows, until it is started anew."""
    waited, progress = case.now - _labelled_at(case), case.progress
    said = f"the MIG manager {'is at work' if state in AT_WORK else 'says'} ({state})" if state else _UNHEARD
    if waited > _AT_WORK:
        named = f"{said} since {_labelled_at(case):%H:%M} UTC{_rebooted(case)}"
        return _blocked(case, Blocker(cause=BlockCause.MIG_MANAGER, name=named))
    step = Step(phase=ReconcilePhase.APPLYING, message=said, progress=progress)
    old = [pod for pod in case.sight.managers if _is_older(pod, _labelled_at(case))]
    if state or progress.nudged or waited <= _SILENT or not old:
        return step
    return replace(step, act=Nudge(old[0]))


_UNHEARD = "the MIG manager says nothing yet"


def _rebooted(case: Case) -> str:
    if case.node.boot_id == case.progress.boot_id:
        return ", and the node has not rebooted"
    return ", and the node has rebooted since"


def _verify(case: Case) -> Step | None:
    """Believe the slices, never a success alone; a device plugin that is older than it is started anew."""
    progress, expected = case.progress, case.progress.expected
    if expected is None:
        return _failed(case, "what the node must offer was not written down: ask again")
    if offers(case.node, expected):
        return None
    since, asked = progress.applied_at or case.now, _words(expected.resources)
    if case.now - since > _SERVED:
        return _failed(case, f"the node offers {_words(case.node.gpu_allocatable)}, where {asked} was asked")
    step = Step(
        phase=ReconcilePhase.VERIFYING,
        message=f"waiting until the node offers {asked}",
        progress=replace(progress, applied_at=since),
    )
    old = [pod for pod in case.sight.plugins if _is_older(pod, _labelled_at(case))]
    if progress.restarted or not old:
        return step
    said = "the device plugin is older than the slices"
    return replace(
        step, phase=ReconcilePhase.RESTARTING_DEVICE_PLUGIN, message=said, act=RestartPlugin(old[0])
    )


def _is_older(pod: LivePod, than: datetime) -> bool:
    return not pod.terminating and pod.created_at is not None and pod.created_at < than


def _labelled_at(case: Case) -> datetime:
    return case.progress.labelled_at or case.now


def _words(offer: Mapping[str, int] | Mapping[str, int | None]) -> str:
    named = sorted((name.removeprefix("nvidia.com/"), count) for name, count in offer.items() if count != 0)
    return ", ".join(f"{count} x {name}" for name, count in named) or "nothing"


def _blocked(case: Case, *blockers: Blocker) -> Step:
    return Step(
        phase=ReconcilePhase.BLOCKED,
        message="; ".join(blocker.name for blocker in blockers),
        blockers=blockers,
        progress=case.progress,
    )


def _failed(case: Case, said: str) -> Step:
    return Step(
        phase=ReconcilePhase.FAILED,
        message=said,
        blockers=(Blocker(cause=BlockCause.MIG_MANAGER, name=said),),
        progress=case.progress,
    )
