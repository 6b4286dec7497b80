"""Which kept reasons are over: the work was placed or is gone, or something else is said of it now."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from gateway.errors import System
from gateway.fleet.event import EVENTS
from gateway.fleet.fleet import Fleet
from gateway.fleet.kueue import WORKLOADS
from gateway.fleet.listings import ObjectKey
from gateway.fleet.pending.reason import KeptReason, PendingReason, ReasonKey, Sighting
from gateway.fleet.pending.sightings import KUEUE, POD_GROUP, waits
from gateway.fleet.reasons.reason import PendingCode

QUIET = timedelta(minutes=30)
"""How long nothing must be said of what cannot be seen; a ReplicaSet may rest for 17 (Kubernetes 1.36)."""
SETTLED = timedelta(seconds=10)
"""How far one listing may be behind another: an event may come before its pod, or after the next one."""
_AT_THE_GATE = {PendingCode.QUEUE_FULL, PendingCode.ENQUEUE_LIMIT}
"""Why Volcano does not let a group in: an event says so, whatever its condition says besides."""
_Reason: TypeAlias = KeptReason | PendingReason


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """What is known at this moment."""

    fleet: Fleet
    said: AbstractSet[ReasonKey]
    """By conditions: they hold for as long as they stand."""
    speaking: AbstractSet[tuple[str, str]]
    """Whose conditions say why they wait, by uid, and who speaks."""
    queued: AbstractSet[str]
    """The uids of Kueue's workloads that wait."""
    made: Mapping[ObjectKey, datetime]
    """When the last pod of an owner was made."""


def over(kept: Iterable[_Reason], seen: Collection[Sighting], fleet: Fleet) -> Iterator[ReasonKey]:
    """The reasons that no longer hold; of what is silent, and of clusters that are not read here, none."""
    ours = [reason for reason in kept if reason.key.cluster in fleet.clusters]
    held = [sighting for sighting in seen if not sighting.origin]
    moment = _Moment(
        fleet=fleet,
        said={sighting.key for sighting in held},
        speaking={(sighting.key.subject, sighting.scheduler) for sighting in held},
        queued={one.uid for cluster in fleet.clusters for one in fleet.workloads(cluster) if one.waits},
        made=_made([reason for reason in ours if reason.pod_name is None], fleet),
    )
    for reason in ours:
        if reason.key not in moment.said and _is_over(reason, moment):
            yield reason.key


def _is_over(reason: _Reason, moment: _Moment) -> bool:
    if reason.pod_name is not None:
        return _is_over_for_pod(reason, reason.pod_name, moment)
    if reason.scheduler == KUEUE:
        return _is_over_for_workload(reason, moment)
    if reason.controller and reason.controller.startswith(POD_GROUP):
        return _is_over_for_group(reason, reason.controller.removeprefix(POD_GROUP), moment)
    return _makes_pods(reason, moment) or _is_quiet(reason, moment.fleet)


def _is_over_for_pod(reason: _Reason, name: str, moment: _Moment) -> bool:
    """Whether the very pod is gone, placed or ended, or who spoke of it says something else."""
    fleet = moment.fleet
    if fleet.silence(System.KUBERNETES, reason.key.cluster, "pods"):
        return False
    pod = fleet.listings.pods.get((reason.key.cluster, reason.namespace, name))
    if pod is None or pod.uid != reason.key.subject:
        return _is_settled(reason.last_seen, fleet)
    return pod.node_name is not None or pod.ended or _is_contradicted(reason, moment)


def _is_over_for_workload(reason: _Reason, moment: _Moment) -> bool:
    fleet = moment.fleet
    if not fleet.has(System.KUBERNETES, reason.key.cluster, WORKLOADS):
        return _is_quiet(reason, fleet)
    if fleet.silence(System.KUBERNETES, reason.key.cluster, WORKLOADS):
        return False
    if reason.key.subject not in moment.queued:
        return _is_settled(reason.last_seen, fleet)
    return _is_contradicted(reason, moment)


def _is_over_for_group(reason: _Reason, name: str, moment: _Moment) -> bool:
    """Whether the very group is gone, placed or let in, or its condition says something else."""
    fleet, cluster = moment.fleet, reason.key.cluster
    if not fleet.has(System.QUEUES, cluster, "podgroups"):
        return _is_quiet(reason, fleet)
    if fleet.silence(System.QUEUES, cluster, "podgroups"):
        return False
    group = fleet.listings.pod_groups.get((cluster, reason.namespace, name))
    if group is None or group.uid != reason.key.subject:
        return _is_settled(reason.last_seen, fleet)
    at_the_gate = reason.code in _AT_THE_GATE
    passed = group.phase != "Pending" if at_the_gate else _is_contradicted(reason, moment)
    return passed or not waits(group) or _is_quiet(reason, fleet)


def _is_contradicted(reason: _Reason, moment: _Moment) -> bool:
    """Whether the same who said it says something else now; another scheduler's word stands beside it."""
    return (reason.key.subject, reason.scheduler) in moment.speaking


def _makes_pods(reason: _Reason, moment: _Moment) -> bool:
    """Whether a pod of this owner, or of a namesake after it, came to be since."""
    last = moment.made.get((reason.key.cluster, reason.namespace, reason.controller or ""))
    return last is not None and last > reason.last_seen and _is_settled(last, moment.fleet)


def _is_settled(at: datetime, fleet: Fleet) -> bool:
    """Whether what was told then is told by every listing by now."""
    return fleet.now - at > SETTLED


def _is_quiet(reason: _Reason, fleet: Fleet) -> bool:
    """Whether nothing was said for long while events were heard."""
    if fleet.silence(System.KUBERNETES, reason.key.cluster, EVENTS):
        return False
    return fleet.now - reason.last_seen > QUIET


def _made(reasons: Iterable[_Reason], fleet: Fleet) -> Mapping[ObjectKey, datetime]:
    """When the last pod of each owner was made, by cluster, namespace and owner; as far as it is known."""
    made: dict[ObjectKey, datetime] = {}
    for cluster, namespace in {(reason.key.cluster, reason.namespace) for reason in reasons}:
        pods = fleet.pods_of_namespaces(cluster, [namespace])
        for pod in pods if isinstance(pods, list) else ():
            if pod.controller and isinstance(pod.created_at, datetime):
                at = (cluster, namespace, pod.controller)
                made[at] = max(made.get(at, pod.created_at), pod.created_at)
    return made
