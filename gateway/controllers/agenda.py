"""When each node is looked at again: those in change first, what is in the way seldom, what is done never."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from gateway.fleet.desired import ReconcilePhase
from gateway.fleet.fleet import Fleet
from gateway.fleet.node import KubernetesNode
from gateway.fleet.wish import Wish, is_out_of_service

EVERY = timedelta(seconds=5)
_BLOCKED = timedelta(seconds=30)
_LONGEST = timedelta(minutes=1)
_OFTEN = 3
_MOST_DOUBLED = 10


class Agenda:
    """What is due, and what waits."""

    def __init__(self) -> None:
        self._later: dict[str, datetime] = {}
        self._failures: dict[str, int] = {}

    def due(self, wishes: Iterable[Wish], fleet: Fleet) -> list[str]:
        """The nodes to look at now, by name."""
        found = [one for one in wishes if not _is_settled(one, fleet) and self._is_due(one, fleet.now)]
        return [one.node for one in sorted(found, key=_first)]

    def answered(self, node: str) -> None:
        """All systems answered."""
        self._failures.pop(node, None)
        self._later.pop(node, None)

    def done(self, node: str, now: datetime) -> None:
        """A step was made: if something was in the way, it need not be looked at so soon."""
        self.answered(node)
        self._later[node] = now + _BLOCKED

    def failed(self, node: str, now: datetime) -> timedelta:
        """A system did not answer: wait for it, twice as long each time."""
        self._failures[node] = min(self._failures.get(node, 0) + 1, _MOST_DOUBLED)
        pause: timedelta = min(EVERY * 2 ** self._failures[node], _LONGEST)
        self._later[node] = now + pause
        return pause

    def is_stalled(self, node: str) -> bool:
        """Whether a system did not answer so often that it must be said."""
        return self._failures.get(node, 0) >= _OFTEN

    def _is_due(self, wish: Wish, now: datetime) -> bool:
        """Only what is blocked waits, and what did not answer; what is asked anew is not blocked yet."""
        waits = wish.node in self._failures or _is_blocked(wish)
        later = self._later.get(wish.node, now)
        # A clock that was set back makes nobody wait longer than anybody ever does.
        return not (waits and now < later <= now + _LONGEST)


def _is_taken_up(wish: Wish) -> bool:
    """Whether something was said already of what is wished now."""
    desired, observed = wish.desired, wish.observed
    return bool(desired and observed and observed.generation == desired.generation)


def _is_blocked(wish: Wish) -> bool:
    observed = wish.observed
    return _is_taken_up(wish) and observed is not None and observed.phase is ReconcilePhase.BLOCKED


def _is_settled(wish: Wish, fleet: Fleet) -> bool:
    """Whether nothing is to be done until somebody asks for something else."""
    desired, observed = wish.desired, wish.observed
    if desired is None:
        return True
    if observed is None or not _is_taken_up(wish):
        return False
    node = _kubernetes(wish, fleet)
    if observed.phase is ReconcilePhase.CONVERGED:
        return not desired.cordoned or (node is not None and node.cordoned)
    # One that is gone, or another machine by now, is out of service for nothing.
    is_it = desired.mig_layout is None or (node is not None and node.uid == desired.layout_uid)
    return observed.phase is ReconcilePhase.FAILED and is_it


def _kubernetes(wish: Wish, fleet: Fleet) -> KubernetesNode | None:
    node = fleet.node(wish.cluster, wish.node)
    return node.kubernetes if node and isinstance(node.kubernetes, KubernetesNode) else None


def _first(wish: Wish) -> tuple[bool, str]:
    """What is out of service comes first: it is to be back."""
    return not is_out_of_service(wish.observed, wish.progress), wish.node
