"""Which kept reasons are over: the work was placed or is gone, or something else is said of it now."""

from collections.abc import Collection, Iterable, Iterator
from datetime import timedelta

from gateway.errors import System
from gateway.fleet.fleet import Fleet
from gateway.fleet.pending.reason import KeptReason, ReasonKey, Sighting

QUIET = timedelta(minutes=30)
"""Of what no pod can be named: how long nothing must be said. Controllers try again within six minutes."""


def over(kept: Iterable[KeptReason], seen: Collection[Sighting], fleet: Fleet) -> Iterator[ReasonKey]:
    """The reasons that no longer hold; of a silent cluster none."""
    now_said = {sighting.key for sighting in seen if not sighting.origin}
    contradicted = {key.subject for key in now_said}
    for reason in kept:
        if reason.key in now_said or fleet.silence(System.KUBERNETES, reason.key.cluster, "pods"):
            continue
        if reason.pod_name is None:
            is_over = fleet.now - reason.last_seen > QUIET
        else:
            is_over = reason.key.subject in contradicted or not _waits(reason, reason.pod_name, fleet)
        if is_over:
            yield reason.key


def _waits(reason: KeptReason, pod_name: str, fleet: Fleet) -> bool:
    """Whether the very pod is still there and not placed."""
    pod = fleet.listings.pods.get((reason.key.cluster, reason.namespace, pod_name))
    return pod is not None and pod.uid == reason.key.subject and pod.node_name is None and not pod.ended
