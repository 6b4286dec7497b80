"""Goes over a cluster's nodes again and again, for as long as this process leads there."""

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress

from gateway.controllers.agenda import EVERY, Agenda
from gateway.controllers.node_reconciler.looking import Subject
from gateway.controllers.node_reconciler.reconciler import Reconciler
from gateway.errors import SourceError, System
from gateway.fleet.desired import reconciler_of
from gateway.fleet.fleet import Fleet
from gateway.fleet.unknown import Unknown
from gateway.fleet.wish import Wish

_LOG = logging.getLogger(__name__)
_MOST_FAULTY = 3
"""An unforeseen fault on so many nodes is none of theirs."""
_MOST_EVICTIONS = 16
"""Of one node in a turn, each with its own look and claim."""
_FAREWELL = 3.0
"""Seconds that resigning may take."""


class Loop:
    """Takes each node that is not as it is desired one step further, over and over."""

    def __init__(self, cluster: str, reconciler: Reconciler, pin: Callable[[], Fleet]) -> None:
        self._cluster = cluster
        self._reconciler = reconciler
        self._pin = pin
        self._agenda = Agenda()
        self._faulty: set[str] = set()

    async def run(self) -> None:
        """Go on until cancelled; what is unforeseen outside of a node's step ends it."""
        try:
            while True:
                await self._reconciler.sleep(await self._turn_and_pause())
        finally:
            with suppress(TimeoutError):
                async with asyncio.timeout(_FAREWELL):
                    await self._reconciler.leadership.resign()

    async def _turn_and_pause(self) -> float:
        try:
            await self.turn()
        except SourceError as error:
            _LOG.warning("cluster %s waits: %s", self._cluster, error)
            return self._agenda.failed("", self._reconciler.clock()).total_seconds()
        self._agenda.answered("")
        return EVERY.total_seconds()

    async def turn(self) -> None:
        """Take every node that is due one step further."""
        if self._is_blind() or not await self._leads() or self._is_paused():
            return
        for name in self._agenda.due(await self._wishes(), self._pin()):
            for _ in range(_MOST_EVICTIONS):
                if not await self._further(name):
                    break

    async def _further(self, name: str) -> bool:
        """Make one step of a node; whether its next eviction need not wait for the next turn."""
        # Read anew for each: the last step may have put another node out of service.
        wishes = await self._wishes()
        wish = next((one for one in wishes if one.node == name), None)
        if wish is None or not await self._leads():
            return False
        return await self._try(Subject(wish=wish, wishes=wishes, fleet=self._pin()))

    async def _leads(self) -> bool:
        """Whether this process leads; to ask renews the lease, however long a turn takes."""
        return await self._reconciler.leadership.reign() is not None

    async def _wishes(self) -> Sequence[Wish]:
        return await self._reconciler.ledger.wishes(self._cluster)

    def _is_blind(self) -> bool:
        """Whether the fleet does not tell now what the nodes are."""
        return self._pin().silence(System.KUBERNETES, self._cluster, "nodes") is not None

    def _is_paused(self) -> bool:
        """Whether the records tell of a pause: every claim would be refused."""
        records = self._pin().platform
        held = None if isinstance(records, Unknown) else records.controllers.get(reconciler_of(self._cluster))
        return held is not None and held.paused

    async def _try(self, subject: Subject) -> bool:
        """Make one step; what goes wrong in it is this node's alone, unless it goes wrong on many."""
        node, clock = subject.wish.node, self._reconciler.clock
        try:
            goes_on = await self._reconciler.step(subject)
        except SourceError as error:
            _LOG.warning("node %s/%s waits: %s", self._cluster, node, error)
            self._agenda.failed(node, clock())
            if self._agenda.is_stalled(node):
                await self._reconciler.stall(subject.wish, str(error))
            return False
        except Exception:
            number = secrets.token_hex(4)
            _LOG.exception("node %s/%s: fault %s", self._cluster, node, number)
            await self._reconciler.give_up(subject.wish, f"a fault of the gateway, {number} in its log")
            self._faulty.add(node)
            if len(self._faulty) >= _MOST_FAULTY:
                raise
            goes_on = False
        self._agenda.done(node, clock())
        return goes_on
