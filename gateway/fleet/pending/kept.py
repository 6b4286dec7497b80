"""What is kept of why work waits, as a listing; and what is said now, where nothing is kept."""

from collections import defaultdict
from collections.abc import Sequence

from gateway.errors import System
from gateway.fleet.fleet import Fleet
from gateway.fleet.pending.over import over
from gateway.fleet.pending.reason import PendingReason, ReasonKey, Reasons, ReasonsAsked, Sighting
from gateway.fleet.pending.sightings import sightings
from gateway.fleet.source import SourceKey

REASONS = SourceKey(System.PLATFORM, "", "reasons")


class SaidNow:
    """What holds at one moment: all that is known without a database; listed once, however often asked."""

    def __init__(self, fleet: Fleet) -> None:
        seen = tuple(sightings(fleet))
        by_key: defaultdict[ReasonKey, list[Sighting]] = defaultdict(list)
        for sighting in seen:
            by_key[sighting.key].append(sighting)
        oldest_first = sorted(by_key.values(), key=lambda said: min(one.first_seen for one in said))
        said = [_reason(number, one) for number, one in enumerate(oldest_first, 1)]
        ended = set(over(said, seen, fleet))
        self._newest_first = [one for one in reversed(said) if one.key not in ended]
        self._of: defaultdict[str, list[PendingReason]] = defaultdict(list)
        for reason in self._newest_first:
            self._of[reason.key.subject].append(reason)

    def page(self, asked: ReasonsAsked) -> Reasons:
        """A page of it."""
        those = [one for one in self._candidates(asked.subjects) if _is_asked(one, asked)]
        shown = [one for one in those if asked.before is None or one.number < asked.before]
        return Reasons(reasons=tuple(shown[: asked.limit]), total=len(those))

    def _candidates(self, subjects: Sequence[str] | None) -> Sequence[PendingReason]:
        if subjects is None:
            return self._newest_first
        those = [reason for subject in dict.fromkeys(subjects) for reason in self._of.get(subject, ())]
        return sorted(those, key=lambda reason: -reason.number)


def _is_asked(reason: PendingReason, asked: ReasonsAsked) -> bool:
    is_there = asked.namespaces is None or reason.namespace in asked.namespaces
    return is_there and reason.key.cluster == asked.cluster


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
