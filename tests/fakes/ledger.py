"""The records in memory, as the reconciler and the health monitor see them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gateway.fleet.clock import Clock
from gateway.fleet.desired import (
    RESTING,
    NodeDesired,
    NodeObserved,
    ReconcilePhase,
    reconciler_of,
)
from gateway.fleet.health_reason import ReportedHealth
from gateway.fleet.platform import Target
from gateway.fleet.wish import Claim, Progress, Wish
from tests.builders import CLUSTER


class FakeNodeLedger:
    """What is desired of nodes and how far that is; a stale leader's claims are refused."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wishes: dict[tuple[str, str], Wish] = {}
        self._epochs: dict[str, int] = {}
        self.paused = False
        self.fails: Exception | None = None
        """What every question comes to instead."""
        self.claims: list[Claim] = []

    def add(self, node: str, target: Target | None = Target.KUBERNETES, cluster: str = CLUSTER) -> None:
        """Write down a node of which nothing is asked."""
        self._wishes[cluster, node] = Wish(
            cluster=cluster, node=node, target=target, desired=None, observed=None, progress=Progress()
        )

    def ask(self, node: str, cluster: str = CLUSTER, **asked: Any) -> int:
        """Ask for something, as the API does: a new generation; for nothing: the same again."""
        wish = self._wishes[cluster, node]
        before = wish.desired
        generation = before.generation + 1 if before else 1
        desired = replace(before or _NOTHING, generation=generation, changed_at=self._clock(), **asked)
        if {"mig_layout", "layout_uid", "acknowledged"} & set(asked):
            desired = replace(desired, layout_generation=generation)
        if not asked:
            desired = replace(desired, retried=generation)
        self._wishes[cluster, node] = replace(wish, desired=desired)
        return generation

    def wish(self, node: str, cluster: str = CLUSTER) -> Wish:
        """What is desired of one node."""
        return self._wishes[cluster, node]

    def give(self, node: str, target: Target | None) -> None:
        """Have the node serve another scheduler."""
        self._wishes[CLUSTER, node] = replace(self._wishes[CLUSTER, node], target=target)

    def forget(self, node: str) -> None:
        """Take the record away."""
        del self._wishes[CLUSTER, node]

    def phases(self, node: str) -> list[ReconcilePhase]:
        """The phases of a node one after the other, each once."""
        told = [claim.phase for claim in self.claims if claim.node == node]
        return [phase for at, phase in enumerate(told) if at == 0 or told[at - 1] is not phase]

    async def lead(self, controller: str, holder: str, max_in_change: int) -> int:
        """Begin a new epoch."""
        self._answer()
        assert holder
        assert max_in_change > 0
        self._epochs[controller] = self._epochs.get(controller, 0) + 1
        return self._epochs[controller]

    async def wishes(self, cluster: str) -> Sequence[Wish]:
        """Every node record of a cluster."""
        self._answer()
        return [wish for (home, _), wish in sorted(self._wishes.items()) if home == cluster]

    async def claim(self, claim: Claim) -> bool:
        """Write how far a node is, while the wish, the leader and the pause allow it."""
        self._answer()
        wish = self._wishes[claim.cluster, claim.node]
        is_stale = claim.epoch != self._epochs.get(reconciler_of(claim.cluster))
        generation = wish.desired.generation if wish.desired else 0
        serves = wish.target is Target.KUBERNETES or claim.phase in RESTING
        if is_stale or self.paused or claim.generation != generation or not serves:
            return False
        self.claims.append(claim)
        self._wishes[claim.cluster, claim.node] = replace(
            wish, observed=self._observed(wish, claim), progress=claim.progress
        )
        return True

    def _answer(self) -> None:
        if self.fails:
            raise self.fails

    def _observed(self, wish: Wish, claim: Claim) -> NodeObserved:
        before = wish.observed
        kept = before.layout_converged if before else 0
        observed = NodeObserved(
            phase=claim.phase,
            generation=claim.generation,
            layout_converged=kept if claim.layout_converged is None else claim.layout_converged,
            converged=claim.phase is ReconcilePhase.CONVERGED,
            message=claim.message,
            blockers=claim.blockers,
            changed_at=before.changed_at if before else self._clock(),
        )
        return observed if observed == before else replace(observed, changed_at=self._clock())


_NOTHING = NodeDesired(
    cordoned=False,
    cordon_reason=None,
    mig_layout=None,
    generation=0,
    layout_generation=0,
    layout_uid=None,
    acknowledged=frozenset(),
    changed_at=None,  # type: ignore[arg-type]  # replaced by whoever asks
    changed_by="anonymous",
)


class FakeHealthLedger:
    """What the health monitor wrote down."""

    def __init__(self) -> None:
        self.reports: list[tuple[str, Mapping[str, ReportedHealth]]] = []

    async def report(self, cluster: str, reports: Mapping[str, ReportedHealth]) -> None:
        """Write the health of nodes by name."""
        self.reports.append((cluster, reports))
