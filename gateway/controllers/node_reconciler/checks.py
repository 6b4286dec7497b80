"""What must be so before a node's cards are cut anew, and what stands in the way."""

from collections.abc import Iterator

from gateway.controllers.node_reconciler.sight import Aim, Case
from gateway.fleet.desired import BlockCause, Blocker
from gateway.fleet.live import HOLD, LABEL_OWNER, MIG_CONFIG, MIG_STATE, Effect, LiveNode, LivePod

AT_WORK = frozenset({"pending", "rebooting"})
"""What the MIG manager says while it is not done."""
_DONE = frozenset({"success", "failed"})
_UPGRADE = "nvidia.com/gpu-driver-upgrade-state"
_UPGRADED = frozenset({"", "upgrade-done", "upgrade-failed"})
_LEAVING = frozenset(
    {
        "node.kubernetes.io/out-of-service",
        "ToBeDeletedByClusterAutoscaler",
        "DeletionCandidateOfClusterAutoscaler",
        "karpenter.sh/disrupted",
    }
)
_REFUSALS = {Effect.BUDGET: BlockCause.DISRUPTION_BUDGET, Effect.REFUSED: BlockCause.ADMISSION}


def taken_by_others(node: LiveNode) -> Iterator[Blocker]:
    """Who else has the node now: a person that holds it, an upgrade, an autoscaler."""
    if HOLD in node.annotations:
        yield Blocker(cause=BlockCause.HOLD, name=hold_of(node))
    state = node.labels.get(_UPGRADE, "")
    if state not in _UPGRADED:
        yield Blocker(cause=BlockCause.DRIVER_UPGRADE, name=f"driver upgrade: {state}")
    for taint in sorted(_LEAVING.intersection(node.taints)):
        yield Blocker(cause=BlockCause.NODE_LEAVING, name=f"taint {taint}")


def hold_of(node: LiveNode) -> str:
    """Say that a person holds the node, in their words."""
    why = node.annotations[HOLD]
    return f"annotation {HOLD}" + (f": {why}" if why else "")


def before_the_label(case: Case, aim: Aim) -> tuple[Blocker, ...]:
    """What stands in the way at every moment until the label is set."""
    return (
        *taken_by_others(case.node),
        *_not_served(case),
        *case.sight.slurm,
        *_unknown_config(case, aim),
        *_label_of_others(case, aim),
        *_unwanted_pods(case),
        *_failed_elsewhere(case),
    )


def before_anything(case: Case) -> tuple[Blocker, ...]:
    """What else must be so before the first effect."""
    return (*_too_many(case), *_evictions_refused(case))


def _not_served(case: Case) -> Iterator[Blocker]:
    if not case.node.ready:
        yield Blocker(cause=BlockCause.NODE_NOT_READY, name="the node is not Ready")
    if not any(pod.ready for pod in case.sight.managers):
        yield Blocker(cause=BlockCause.MIG_MANAGER, name="no MIG manager is ready there")
    if not any(pod.ready for pod in case.sight.plugins):
        yield Blocker(cause=BlockCause.DEVICE_PLUGIN, name="no device plugin is ready there")


def _unknown_config(case: Case, aim: Aim) -> Iterator[Blocker]:
    layouts = case.sight.layouts
    if aim.text is None and aim.config not in layouts.names:
        said = f"{layouts.where} has no configuration {aim.config}"
        yield Blocker(cause=BlockCause.MIG_MANAGER, name=said)
    if aim.text is not None and not layouts.is_ours:
        said = f"the MIG manager reads {layouts.where}, which is not the gateway's: use a configuration of it"
        yield Blocker(cause=BlockCause.FIELD_MANAGER, name=said)


def _label_of_others(case: Case, aim: Aim) -> Iterator[Blocker]:
    node, allowed = case.node, case.limits.adopt_from | {LABEL_OWNER}
    state, label = node.labels.get(MIG_STATE), node.labels.get(MIG_CONFIG)
    # What is to come of a label that was just set would be taken for what comes of the next.
    is_due = case.progress.unverified if state is None else state not in _DONE
    if is_due and not (case.progress.unverified and label == aim.config):
        said = f"the MIG manager is at work ({state or 'says nothing yet'}) on {label}"
        yield Blocker(cause=BlockCause.MIG_MANAGER, name=said)
    for owner in sorted(set(node.label_owners) - allowed):
        yield Blocker(cause=BlockCause.FIELD_MANAGER, name=f"{owner} owns the label {MIG_CONFIG}")


def _unwanted_pods(case: Case) -> Iterator[Blocker]:
    """GPU pods that may not be evicted, or would be there again at once."""
    for pod in holding(case):
        if pod.comes_back:
            kind = "a mirror pod" if pod.is_mirror else f"of {pod.owner}"
            yield _pod(pod, f"is {kind}: it would be back at once")
        elif not pod.terminating and pod.id not in case.desired.acknowledged:
            yield _pod(pod, "holds GPUs and was not acknowledged")


def holding(case: Case) -> tuple[LivePod, ...]:
    """The pods there that hold GPUs."""
    return tuple(pod for pod in case.sight.pods if pod.holds_gpus)


def _pod(pod: LivePod, said: str, cause: BlockCause = BlockCause.WORKLOAD) -> Blocker:
    return Blocker(cause=cause, name=f"{pod.namespace}/{pod.name} {said}", workload_id=pod.id)


def left_over(case: Case) -> tuple[Blocker, ...]:
    """What is still there of what was to go."""
    return tuple(
        _pod(pod, f"is kept by {', '.join(pod.finalizers)}", BlockCause.FINALIZER)
        if pod.terminating and pod.finalizers
        else _pod(pod, "has not ended")
        for pod in holding(case)
    )


def _failed_elsewhere(case: Case) -> Iterator[Blocker]:
    if case.sight.others.failed:
        said = f"this layout failed on {case.sight.others.failed}, which has the same GPUs"
        yield Blocker(cause=BlockCause.LIMIT, name=said)


def _too_many(case: Case) -> Iterator[Blocker]:
    busy, most = case.sight.others.in_change, case.limits.max_in_change
    if len(busy) >= most:
        said = f"{most} in change at a time: {', '.join(busy)}"
        yield Blocker(cause=BlockCause.LIMIT, name=said)


def _evictions_refused(case: Case) -> Iterator[Blocker]:
    for pod in holding(case):
        result = case.sight.tried.get(pod.uid)
        if result and result.effect in _REFUSALS:
            yield _pod(
                pod, f"cannot be evicted: {result.message}", refusal_cause(result.effect, result.message)
            )


def refusal_cause(effect: Effect, message: str) -> BlockCause:
    """What kind of thing refuses: two budgets on one pod are an error of the server, which names them."""
    return BlockCause.DISRUPTION_BUDGET if "PodDisruptionBudget" in message else _REFUSALS[effect]
