"""How many of some pods a scheduler could place at once: bounded by what each node has left, and by sums."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from gateway.fleet.constraints import Constraints
from gateway.fleet.pod import Pod
from gateway.fleet.scheduling.resources import available, held
from gateway.fleet.scheduling.verdict import verdicts
from gateway.fleet.scheduling.view import Candidate, ClusterView
from gateway.fleet.sums import first_unknown
from gateway.fleet.unknown import Unknown

_PODS = "pods"
_Amounts = dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """How many fit at once, for sure and at best."""

    at_least: int
    at_most: int
    unsure: Unknown | None = None
    """Why some node may take more of them than is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """Pods that are alike, and where one of them would be put."""

    count: int
    ask: _Amounts
    sure: frozenset[str]
    possible: frozenset[str]
    heeds_others: bool
    """Where the others of its kind are decides where it may be."""


def fitting(pods: Collection[Pod], view: ClusterView) -> Fitting | Unknown:
    """Bound how many of these fit at once; unknown where it is not known what they ask."""
    names = {_PODS}.union(*(pod.requests for pod in pods))
    unknown = first_unknown(*(amount for pod in pods for amount in pod.requests.values()))
    if unknown:
        return unknown
    rooms = {name: _room(one, names) for name, one in view.candidates.items()}
    left = {name: room for name, room in rooms.items() if not isinstance(room, Unknown)}
    unsure = first_unknown(*rooms.values(), *view.silent.values())
    kinds = _kinds(pods, view)
    most = min(sum(_most(kind, left) for kind in kinds), _by_sums(kinds, left))
    return Fitting(at_least=_least(kinds, left), at_most=len(pods) if unsure else most, unsure=unsure)


def _kinds(pods: Collection[Pod], view: ClusterView) -> list[_Kind]:
    """The largest first, by what they ask of everything in turn."""
    alike: list[list[Pod]] = []
    for pod in pods:
        same = next((one for one in alike if _is_alike(one[0], pod)), None)
        if same is None:
            alike.append([pod])
        else:
            same.append(pod)
    kinds = [_kind(one[0], len(one), view) for one in alike]
    return sorted(kinds, key=lambda kind: sorted(kind.ask.items()), reverse=True)


def _is_alike(one: Pod, other: Pod) -> bool:
    return one.requests == other.requests and one.constraints == other.constraints


def _kind(pod: Pod, count: int, view: ClusterView) -> _Kind:
    said = verdicts(pod, view)
    ask = {name: amount for name in pod.requests if isinstance(amount := held((pod,), name), int) and amount}
    heeds = _heeds_others(pod)
    return _Kind(
        count=count,
        ask={**ask, _PODS: 1},
        sure=frozenset(one.node for one in said if one.fits is True),
        possible=frozenset(one.node for one in said if heeds or one.fits is not False),
        heeds_others=heeds,
    )


def _heeds_others(pod: Pod) -> bool:
    told = pod.constraints
    return isinstance(told, Constraints) and bool(told.spread or told.beside or told.apart or told.host_ports)


def _least(kinds: list[_Kind], rooms: Mapping[str, _Amounts]) -> int:
    """Put each kind where there is room, one node after the other."""
    if any(kind.heeds_others for kind in kinds):
        return int(any(kind.sure for kind in kinds))
    left = {name: dict(room) for name, room in rooms.items()}
    placed = 0
    for kind in kinds:
        waiting = kind.count
        for name in sorted(kind.sure & left.keys()):
            times = min(_times(left[name], kind.ask), waiting)
            left[name] = {key: has - times * kind.ask.get(key, 0) for key, has in left[name].items()}
            waiting -= times
        placed += kind.count - waiting
    return placed


def _most(kind: _Kind, rooms: Mapping[str, _Amounts]) -> int:
    """As if it had every node for itself."""
    return min(kind.count, sum(_times(rooms[name], kind.ask) for name in kind.possible if name in rooms))


def _by_sums(kinds: list[_Kind], rooms: Mapping[str, _Amounts]) -> int:
    """As if all that is left were on one node: the small ones first, resource by resource."""
    total = Counter[str]()
    for room in rooms.values():
        total.update(room)
    bounds = []
    for name in {name for kind in kinds for name in kind.ask}:
        asks = sorted(kind.ask.get(name, 0) for kind in kinds for _ in range(kind.count))
        bounds.append(_fill(asks, total[name]))
    return min(bounds, default=0)


def _fill(asks: list[int], total: int) -> int:
    fitting = 0
    for amount in asks:
        total -= amount
        if total < 0:
            break
        fitting += 1
    return fitting


def _times(room: _Amounts, ask: _Amounts) -> int:
    return min(room[name] // amount for name, amount in ask.items())


def _room(candidate: Candidate, names: Collection[str]) -> _Amounts | Unknown:
    """What is left of these on a node."""
    if isinstance(candidate.pods, Unknown):
        return candidate.pods
    left = {name: _left(candidate, candidate.pods, name) for name in names}
    unknown = first_unknown(*left.values())
    return unknown or {name: amount for name, amount in left.items() if isinstance(amount, int)}


def _left(candidate: Candidate, pods: tuple[Pod, ...], name: str) -> int | Unknown:
    has = available(candidate, name)
    taken = len(pods) if name == _PODS else held(pods, name)
    if isinstance(has, Unknown):
        return has
    return taken if isinstance(taken, Unknown) else max(has - taken, 0)
