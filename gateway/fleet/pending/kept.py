"""What is kept of why work waits, as a listing; and what is said now, where nothing is kept."""

from collections import defaultdict

from gateway.errors import System
from gateway.fleet.fleet import Fleet
from gateway.fleet.pending.over import over
from gateway.fleet.pending.reason import PendingReason, ReasonKey, Reasons, ReasonsAsked, Sighting
from gateway.fleet.pending.sightings import sightings
from gateway.fleet.source import SourceKey

REASONS = SourceKey(System.PLATFORM, "", "reasons")


def said_now(fleet: Fleet, asked: ReasonsAsked) -> Reasons:
    """A page of what holds at this moment: all that is known without a database."""
    seen = tuple(sightings(fleet))
    by_key: defaultdict[ReasonKey, list[Sighting]] = defaultdict(list)
    for sighting in seen:
        if _is_asked(sighting, asked):
            by_key[sighting.key].append(sighting)
    oldest_first = sorted(by_key.values(), key=lambda said: min(one.first_seen for one in said))
    said = [_reason(number, said) for number, said in enumerate(oldest_first, 1)]
    ended = set(over(said, seen, fleet))
    reasons = [one for one in said if one.key not in ended]
    shown = [one for one in reversed(reasons) if asked.before is None or one.number < asked.before]
    return Reasons(reasons=tuple(shown[: asked.limit]), total=len(reasons))


def _is_asked(sighting: Sighting, asked: ReasonsAsked) -> bool:
    return (
        sighting.key.cluster == asked.cluster
        and (asked.namespaces is None or sighting.namespace in asked.namespaces)
        and (asked.subjects is None or sighting.key.subject in asked.subjects)
    )


def _reason(number: int, said: list[Sighting]) -> PendingReason:
    last = max(said, key=lambda one: one.last_seen)
    return PendingReason(
        number=number,
        key=last.key,
        namespace=last.namespace,
        pod_name=last.pod_name,
        controller=last.controller,
        code=last.code,
        message=last.message,
        scheduler=last.scheduler,
        first_seen=min(one.first_seen for one in said),
        last_seen=last.last_seen,
        count=max(1, sum(one.count for one in said if one.origin)),
        total_nodes=last.total_nodes,
        parts=last.parts,
        resolved_at=None,
    )
