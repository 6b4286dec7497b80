"""Whether this process leads a cluster's controllers: by the Lease there, and an epoch of the database."""

from dataclasses import dataclass

from gateway.fleet.desired import reconciler_of
from gateway.fleet.ports import Election, NodeLedger

_DOUBTFUL = 10
"""Claims refused in a row; a pause refuses them as well, and a wish that moved refuses one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Who would lead what."""

    cluster: str
    holder: str
    """What people know this process by."""
    max_in_change: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reign:
    """Leading, at this moment."""

    epoch: int
    left_seconds: float
    paused_by: str | None
    """Who stopped every effect by an annotation of the Lease."""


class Leadership:
    """The lease, and the epoch that was begun with it."""

    def __init__(self, candidate: Candidate, election: Election, ledger: NodeLedger) -> None:
        self._candidate = candidate
        self._election = election
        self._ledger = ledger
        self._epoch: int | None = None
        self._refusals = 0

    @property
    def cluster(self) -> str:
        """The cluster that is led."""
        return self._candidate.cluster

    @property
    def leads(self) -> bool:
        """Whether it led when it was looked last."""
        return self._epoch is not None

    async def reign(self) -> Reign | None:
        """Take or keep the lead; None: another has it."""
        tenure = await self._election.tenure()
        if not tenure.is_leader:
            self._epoch = None
            return None
        if self._epoch is None:
            one = self._candidate
            self._epoch = await self._ledger.lead(reconciler_of(one.cluster), one.holder, one.max_in_change)
        return Reign(epoch=self._epoch, left_seconds=tenure.left_seconds, paused_by=tenure.paused_by)

    def claimed(self, *, held: bool) -> None:
        """Take in whether a claim was written: where many are refused, the epoch may be over."""
        self._refusals = 0 if held else self._refusals + 1
        if self._refusals >= _DOUBTFUL:
            self._refusals, self._epoch = 0, None

    async def resign(self) -> None:
        """Let another lead at once."""
        self._epoch = None
        await self._election.resign()
