"""The least change after which an ask fits."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from gateway.fleet.alert import Remedy, RemedyAction
from gateway.fleet.diagnosis.judged_node import JudgedNode
from gateway.fleet.fits.ask import Ask
from gateway.fleet.fits.judge import Seen, judged
from gateway.fleet.fits.opening import change_target, put_up_with, uncordon
from gateway.fleet.fits.room import make_room
from gateway.fleet.fits.step import Step
from gateway.fleet.node import Node
from gateway.fleet.reasons.reason import PendingCode
from gateway.fleet.scheduling.verdict import NodeVerdict
from gateway.fleet.scheduling.view import ClusterView, view_of
from gateway.fleet.unknown import Unknown

_MOST_STEPS = 8
_BY_EFFORT = (
    RemedyAction.UNCORDON,
    RemedyAction.ADD_TOLERATION,
    RemedyAction.WAIT,
    RemedyAction.FREE_WORKLOADS,
    RemedyAction.CHANGE_MIG_LAYOUT,
    RemedyAction.CHANGE_TARGET,
    RemedyAction.REPAIR_NODE,
)
_Cost: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The machines of one cluster that may be meant."""

    seen: Seen
    judged: tuple[JudgedNode, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """All that must be done until an ask fits somewhere."""

    remedies: tuple[Remedy, ...] = ()
    hurts: int = 0

    def then(self, step: Step) -> "_Way":
        return _Way(remedies=(*self.remedies, *step.remedies), hurts=self.hurts + step.hurts)

    @property
    def cost(self) -> _Cost:
        """Whose work is hurt counts before what is to be done."""
        return self.hurts, sum(_BY_EFFORT.index(one.action) + 1 for one in self.remedies)


def least_change(places: Iterable[Place], ask: Ask) -> tuple[Remedy, ...]:
    """What to do in the cluster where the least work is hurt; nothing where nothing is known to help."""
    ways = [way for place in places if (way := _way_of_cluster(place, ask))]
    return min(ways, key=lambda way: way.cost).remedies if ways else ()


def less(ask: Ask) -> Remedy:
    """What to do where nothing that is known to help is enough."""
    who = f"{ask.nodes} machines of one cluster hold" if ask.nodes > 1 else "a machine holds"
    text = f"No change is known after which {who} {ask.words}: ask for less, or for another kind"
    return Remedy(action=RemedyAction.CHANGE_REQUEST, text=text)


def _way_of_cluster(place: Place, ask: Ask) -> _Way | None:
    """Do the least on as many machines as are lacking."""
    refused = [one for one in place.judged if one.verdict.fits is False]
    lacking = ask.nodes - sum(one.verdict.fits is True for one in place.judged)
    ways = sorted((way for one in refused if (way := _way(one, ask, place.seen))), key=lambda way: way.cost)
    if len(ways) < lacking:
        return None
    chosen = ways[:lacking]
    return _Way(
        remedies=tuple(remedy for way in chosen for remedy in way.remedies),
        hurts=sum(way.hurts for way in chosen),
    )


def _way(one: JudgedNode, ask: Ask, seen: Seen) -> _Way | None:
    """Take away what is said first that refuses, and so on until nothing does."""
    node, verdict, way = one.node, one.verdict, _Way()
    for _ in range(_MOST_STEPS):
        if verdict.fits is not False:
            return None if isinstance(verdict.fits, Unknown) else way
        change = _STEPS.get(verdict.reasons[0].code)
        step = change(node, ask) if change else None
        if step is None:
            return None
        way = way.then(step)
        if step.after is None:
            return way
        node = step.after
        verdict = _judged_again(node, ask, seen)
    return None


def _judged_again(node: Node, ask: Ask, seen: Seen) -> NodeVerdict:
    if isinstance(seen, ClusterView):
        kept = seen.candidates[node.name].nominated
        seen = view_of([node], seen.namespaces, kept)
    return judged([node], ask, seen)[0].verdict


_STEPS: Mapping[PendingCode, Callable[[Node, Ask], Step | None]] = {
    PendingCode.NODE_AFFINITY: change_target,
    PendingCode.CORDONED: uncordon,
    PendingCode.UNTOLERATED_TAINT: put_up_with,
    PendingCode.INSUFFICIENT_RESOURCE: make_room,
}
