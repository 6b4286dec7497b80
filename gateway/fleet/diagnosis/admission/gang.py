"""GANG: whether the pods that a pod is to start with are there, may be placed, and fit at once."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta

from gateway.errors import System
from gateway.fleet.alert import Evidence, Remedy, RemedyAction
from gateway.fleet.diagnosis.admission.fitting import fitting
from gateway.fleet.diagnosis.admission.judged import Judged, failed, passed, untold, warned
from gateway.fleet.diagnosis.admission.members import Members, is_volcanos, members_of
from gateway.fleet.diagnosis.admission.quoted import told_by
from gateway.fleet.diagnosis.admission.said import refusal, words_of
from gateway.fleet.diagnosis.diagnosis import DiagnosisCheck, DiagnosisStep
from gateway.fleet.discrepancies.evidence import counted, kubernetes, queues
from gateway.fleet.fleet import Fleet
from gateway.fleet.pod import Pod
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.cluster import seen_by_scheduler
from gateway.fleet.unknown import Unknown

_CHECK = DiagnosisCheck.GANG
_NOT_READY = PendingCode.GANG_NOT_READY
_AT_ONCE = timedelta(seconds=10)
"""How soon Volcano's controller makes a group for a pod, and more."""


def check_gang(pod: Pod, fleet: Fleet) -> DiagnosisStep | None:
    """Judge its gang; None: it starts alone."""
    if not is_volcanos(pod) or pod.node_name or not fleet.has(System.QUEUES, pod.cluster, "podgroups"):
        return None
    members = members_of(pod, fleet)
    if isinstance(members, Unknown):
        return untold(members).step(_CHECK)
    judged = _without_group(pod, fleet) if members is None else _judged(pod, members, fleet)
    return judged.step(_CHECK) if judged else None


def _without_group(pod: Pod, fleet: Fleet) -> Judged:
    """A group that is not there: nothing is ever said of such a pod (Volcano to 1.16)."""
    if isinstance(pod.created_at, datetime) and timedelta(0) <= fleet.now - pod.created_at < _AT_ONCE:
        return untold("it was made just now, and its PodGroup may be about to be")
    if pod.group_name is None:
        said = "no PodGroup was made for it, and without one it waits for ever: nothing tells so"
        remedy = _other("look at the controller manager of Volcano, and at the queue that the pod names", pod)
    else:
        said = f"its PodGroup {pod.group_name} does not exist, so it waits for ever: nothing tells so"
        remedy = _other(f"create PodGroup {pod.group_name}, or make the pod without naming it", pod)
    at = f"pods/{pod.namespace}/{pod.name} metadata.annotations[scheduling.k8s.io/group-name]"
    evidence = [kubernetes(fleet, pod.cluster, at, pod.group_name, "pods")]
    if pod.group_name:
        path = f"podgroups/{pod.namespace}/{pod.group_name}"
        evidence.append(queues(fleet, pod.cluster, path, None, "podgroups"))
    return failed(PendingCode.MISCONFIGURED, said, tuple(evidence), remedy)


def _judged(pod: Pod, members: Members, fleet: Fleet) -> Judged | None:
    group = members.group
    if group.min_member <= 1 and not group.min_tasks:
        return None
    if members.placed >= group.min_member:
        return passed(
            f"its gang runs: it needs {counted(group.min_member, 'pod')}, and {members.placed} are placed"
        )
    return next(filter(None, (rule(pod, members, fleet) for rule in _RULES)), None)


def _absent(pod: Pod, members: Members, fleet: Fleet) -> Judged | None:
    """Members that were never made, or were deleted."""
    if not members.absent:
        return None
    there = members.group.min_member - members.absent
    said = f"its gang needs {counted(members.group.min_member, 'pod')}, and has {there}"
    event = refusal(pod, fleet, *PendingCode)
    if event:
        said += f"; more are refused: {words_of(event)}"
    evidence = (*_evidence(pod, members, fleet), *([told_by(event, fleet)] if event else ()))
    text = (
        f"make the {members.absent} that are missing, or lower minMember of {members.group.name} to {there}"
    )
    return failed(_NOT_READY, said, evidence, _other(text, pod))


def _roles(pod: Pod, members: Members, fleet: Fleet) -> Judged | None:
    """Roles that it lacks; nobody asks where they come to more than it needs in all (Volcano to 1.16)."""
    group = members.group
    if sum(least for _, least in group.min_tasks) > group.min_member:
        return None
    there = Counter(one.task for one in (*members.pods, *members.succeeded))
    lacking = [(task, least) for task, least in group.min_tasks if there[task] < least]
    if not lacking:
        return None
    needed = ", ".join(f"{least} {task} (it has {there[task]})" for task, least in lacking)
    at = f"podgroups/{group.namespace}/{group.name} spec.minTaskMember"
    evidence = [queues(fleet, pod.cluster, f"{at}[{task}]", least, "podgroups") for task, least in lacking]
    said = f"its gang needs pods of every role: {needed}"
    text = f"make the missing pods, or change minTaskMember of {group.name}"
    return failed(_NOT_READY, said, tuple(evidence), _other(text, pod))


def _gated(pod: Pod, members: Members, fleet: Fleet) -> Judged | None:
    """Members that no scheduler may place yet."""
    gated = sorted(one.name for one in members.pods if one.gated)
    needed = members.group.min_member
    free = len(members.pods) + len(members.succeeded) - len(gated)
    if free >= needed:
        return None
    said = f"its gang needs {counted(needed, 'pod')} without scheduling gates, and has {free}"
    paths = [f"pods/{pod.namespace}/{name} spec.schedulingGates" for name in gated[:_MOST_NAMED]]
    evidence = tuple(kubernetes(fleet, pod.cluster, path, "set", "pods") for path in paths)
    text = f"take the scheduling gates away from {', '.join(gated[:_MOST_NAMED])}"
    return failed(_NOT_READY, said, evidence, _other(text, pod))


def _fit(pod: Pod, members: Members, fleet: Fleet) -> Judged:
    needed = members.group.min_member - members.placed
    waiting = [one for one in members.pods if one.node_name is None and not one.gated]
    seen = seen_by_scheduler(fleet, pod.cluster)
    found = seen if isinstance(seen, Unknown) else fitting(waiting, seen)
    evidence = _evidence(pod, members, fleet)
    if isinstance(found, Unknown):
        return untold(found, *evidence)
    needs = f"its gang still needs {counted(needed, 'pod')}"
    if found.at_least >= needed:
        return passed(f"{needs}, and so many fit at once", *evidence)
    if found.at_most >= needed:
        why = f": {found.unsure.reason}" if found.unsure else ""
        said = f"{needs}: at least {_fit_at_once(found.at_least)}, and whether all do is not settled{why}"
        return untold(said, *evidence)
    if not found.at_most:
        return warned(f"{needs}, and none fits anywhere as things stand", evidence)
    bound = ("" if found.at_least == found.at_most else "no more than ") + _fit_at_once(found.at_most)
    text = f"make room for {counted(needed - found.at_most, 'more pod')} of it at the same time"
    remedy = Remedy(action=RemedyAction.FREE_WORKLOADS, text=text, subject=pod.id)
    said = f"{needs}, and {bound}: it starts with all or none"
    return failed(_NOT_READY, said, evidence, remedy)


def _fit_at_once(number: int) -> str:
    return f"{number} {'fits' if number == 1 else 'fit'} at once"


_MOST_NAMED = 3
_RULES: tuple[Callable[[Pod, Members, Fleet], Judged | None], ...] = (_absent, _roles, _gated, _fit)
"""What no room in the cluster would help comes first."""


def _evidence(pod: Pod, members: Members, fleet: Fleet) -> tuple[Evidence, ...]:
    group, at = members.group, f"podgroups/{pod.namespace}/{members.group.name}"
    return (
        queues(fleet, pod.cluster, f"{at} spec.minMember", group.min_member, "podgroups"),
        kubernetes(fleet, pod.cluster, f"pods of PodGroup {group.name}", len(members.pods), "pods"),
        kubernetes(fleet, pod.cluster, f"placed pods of PodGroup {group.name}", members.placed, "pods"),
    )


def _other(text: str, pod: Pod) -> Remedy:
    return Remedy(action=RemedyAction.OTHER, text=text, subject=pod.id)
