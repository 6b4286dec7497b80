"""What the fleet says at this moment of why work waits: conditions first, then events."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from gateway.fleet.condition import Condition
from gateway.fleet.event import NO_SANDBOX, Event
from gateway.fleet.fleet import Fleet
from gateway.fleet.kueue import KueueWorkload
from gateway.fleet.pending.heard import hear
from gateway.fleet.pending.reason import ReasonKey, Sighting
from gateway.fleet.pod import BY_KUBELET, Pod
from gateway.fleet.queue import PodGroup

VOLCANO, KUEUE = "volcano", "kueue"
_KUBELET = "kubelet"
_KUBE_SCHEDULER = "default-scheduler"
_UNSCHEDULABLE = "Unschedulable"
_WORKLOAD = "Workload"
POD_GROUP = "PodGroup/"
"""What the controller of a group begins with."""


class _Subject(NamedTuple):
    """Whom a message is about."""

    cluster: str
    uid: str
    namespace: str
    pod_name: str | None
    controller: str | None


class _Saying(NamedTuple):
    """What is said, by whom, and when."""

    message: str
    scheduler: str
    first: datetime
    last: datetime
    origin: str = ""
    times: int = 1


def sightings(fleet: Fleet) -> Iterator[Sighting]:
    """Everything that is said; of a silent listing nothing."""
    for cluster in fleet.clusters:
        for pod in fleet.turned_down(cluster):
            yield from _of_pod(pod, fleet.now)
        for group in fleet.pod_groups(cluster):
            yield from _of_group(group, fleet.now)
        for workload in fleet.workloads(cluster):
            yield from _of_workload(workload, fleet.now)
        for event in fleet.events(cluster):
            yield from _of_event(event, fleet)


def _of_pod(pod: Pod, now: datetime) -> Iterator[Sighting]:
    condition = pod.turned_down
    if condition is None or not condition.message:
        return
    by_kubelet = condition.type == BY_KUBELET
    message = f"{condition.reason}: {condition.message}" if by_kubelet else condition.message
    scheduler = _KUBELET if by_kubelet else pod.scheduler_name or _KUBE_SCHEDULER
    yield from _read(_subject_of_pod(pod), _conditional(condition, message, scheduler, now))


def waits(group: PodGroup) -> bool:
    """Whether it is not placed, and its newest condition does not say that it is about to be."""
    newest = _newest(group)
    return not group.is_placed and (newest is None or newest.type == _UNSCHEDULABLE)


def _newest(group: PodGroup) -> Condition | None:
    """The condition that speaks: none ever becomes False (Volcano to 1.16)."""
    return max(group.conditions, key=_since, default=None)


def _of_group(group: PodGroup, now: datetime) -> Iterator[Sighting]:
    newest = _newest(group)
    if newest is None or not newest.message or not waits(group):
        return
    yield from _read(_subject_of_group(group), _conditional(newest, newest.message, VOLCANO, now))


def _of_workload(workload: KueueWorkload, now: datetime) -> Iterator[Sighting]:
    condition = workload.waits
    if condition is None or not condition.message:
        return
    yield from _read(_subject_of_workload(workload), _conditional(condition, condition.message, KUEUE, now))


def _since(condition: Condition) -> float:
    return condition.since.timestamp() if isinstance(condition.since, datetime) else 0.0


def _of_event(event: Event, fleet: Fleet) -> Iterator[Sighting]:
    first, last = event.first_seen or event.last_seen, event.last_seen or event.first_seen
    if first is None or last is None or not event.about_uid or event.reason == NO_SANDBOX:
        return
    saying = _Saying(
        message=event.message,
        scheduler=KUEUE if event.about_kind == _WORKLOAD else event.reporter,
        first=first,
        last=last,
        origin=event.uid,
        times=event.count,
    )
    yield from _read(_subject_of_event(event, fleet), saying)


def _subject_of_event(event: Event, fleet: Fleet) -> _Subject:
    """Whom it is about, as conditions name it, where it is still there."""
    at = (event.cluster, event.about_namespace, event.about_name)
    if event.about_kind == "Pod":
        pod = fleet.listings.pods.get(at)
        if pod is not None and pod.uid == event.about_uid:
            return _subject_of_pod(pod)
    if event.about_kind == _WORKLOAD:
        workload = fleet.listings.workloads.get(at)
        if workload is not None and workload.uid == event.about_uid:
            return _subject_of_workload(workload)
    is_pod = event.about_kind == "Pod"
    return _Subject(
        cluster=event.cluster,
        uid=event.about_uid,
        namespace=event.about_namespace,
        pod_name=event.about_name if is_pod else None,
        controller=None if is_pod else f"{event.about_kind}/{event.about_name}",
    )


def _subject_of_pod(pod: Pod) -> _Subject:
    return _Subject(
        cluster=pod.cluster,
        uid=pod.uid,
        namespace=pod.namespace,
        pod_name=pod.name,
        controller=pod.controller,
    )


def _subject_of_group(group: PodGroup) -> _Subject:
    return _Subject(
        cluster=group.cluster,
        uid=group.uid,
        namespace=group.namespace,
        pod_name=None,
        controller=f"{POD_GROUP}{group.name}",
    )


def _subject_of_workload(workload: KueueWorkload) -> _Subject:
    return _Subject(
        cluster=workload.cluster,
        uid=workload.uid,
        namespace=workload.namespace,
        pod_name=None,
        controller=workload.owner or f"{_WORKLOAD}/{workload.name}",
    )


def _conditional(condition: Condition, message: str, scheduler: str, now: datetime) -> _Saying:
    """A condition holds until now, from when it last changed."""
    since = condition.since if isinstance(condition.since, datetime) else now
    return _Saying(message=message, scheduler=scheduler, first=min(since, now), last=now)


def _read(subject: _Subject, saying: _Saying) -> Iterator[Sighting]:
    message, reason, said = hear(saying.message)
    if reason.placed:
        return
    key = ReasonKey(cluster=subject.cluster, subject=subject.uid, said=said)
    yield Sighting(
        key=key,
        origin=saying.origin,
        namespace=subject.namespace,
        pod_name=subject.pod_name,
        controller=subject.controller,
        code=reason.code,
        message=message,
        scheduler=saying.scheduler,
        total_nodes=reason.total_nodes,
        parts=reason.parts,
        first_seen=saying.first,
        last_seen=saying.last,
        count=saying.times,
    )
